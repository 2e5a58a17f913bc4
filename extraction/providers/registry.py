"""The registry: which embedder answers to a name."""

from collections.abc import Iterable
from pathlib import Path

from extraction.embedding_settings import OLLAMA, EmbeddingSettings
from extraction.providers import builtin
from extraction.providers.base import Embedder
from extraction.providers.ollama import open_model
from graphstore.errors import InvalidInput, Unavailable


def model(name: str) -> builtin.BuiltinModel:
    """Return the built-in model of that name.

    Raises:
        InvalidInput: there is none.
    """
    for spec in builtin.BUILTIN_MODELS:
        if spec.name == name:
            return spec
    names = ", ".join([*(spec.name for spec in builtin.BUILTIN_MODELS), f"{OLLAMA}NAME"])
    raise InvalidInput(f"There is no embedding model {name!r}.", hint=f"Models: {names}.")


def open_embedders(
    settings: EmbeddingSettings, jars: Iterable[Path], cache: Path
) -> tuple[Embedder, ...]:
    """Open every model that the settings name; `jars` are those of the lock's part `embedder`.

    Raises:
        InvalidInput: no model has a name, or its server is not on this machine.
        Unavailable: a built-in model's jar is not among `jars`, or is damaged.
    """
    if not settings.models:
        raise InvalidInput("embedding.models is empty.", hint="Name one model at least.")
    here = tuple(jars)
    return tuple(
        open_model(name, settings.ollama_host)
        if name.startswith(OLLAMA)
        else open_embedder(name, here, cache, threads=settings.threads)
        for name in dict.fromkeys(settings.models)
    )


def open_embedder(name: str, jars: Iterable[Path], cache: Path, *, threads: int = 1) -> Embedder:
    """Load the embedder of that name; `jars` are those of the lock's part `embedder`.

    Raises:
        InvalidInput: no model has that name.
        Unavailable: its jar is not among `jars`, or is damaged.
    """
    spec = model(name)
    return builtin.load(spec, _jar(spec, jars), cache, threads=threads)


def unpack(name: str, jars: Iterable[Path], cache: Path) -> None:
    """Put what the embedder of that name loads into the cache: a service then only reads there.

    A model of a server has nothing to load.

    Raises:
        InvalidInput: no model has that name.
        Unavailable: its jar is not among `jars`, or is damaged.
    """
    if name.startswith(OLLAMA):
        return
    spec = model(name)
    builtin.unpack(spec, _jar(spec, jars), cache)


def _jar(spec: builtin.BuiltinModel, jars: Iterable[Path]) -> Path:
    for jar in jars:
        if jar.name == spec.jar:
            return jar
    raise Unavailable(f"{spec.jar} is not there.", hint="Run 'garage doctor --fix' to fetch it.")
