"""Ollama: embedding models on an Ollama server of this machine.

Nothing the server says is believed before it was checked: a reply of another shape is refused
whole, a vector that cannot be stored is refused by `embedding`. A model is known by the digest that
the server lists: another one under the same name is another model.
"""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard, cast

import numpy as np

from extraction import egress
from extraction.embedding_settings import OLLAMA, OLLAMA_NAME
from extraction.errors import BadReply
from extraction.providers.base import CONTROL, Vector
from graphstore.errors import GarageError, InvalidInput, Unavailable

SETTING: Final = "embedding.ollama_host"

_WINDOW: Final = 512
_LIST_BYTES: Final = 4 * 2**20
_VECTOR_BYTES: Final = 256 * 1024
_WIDEST: Final = 4096
"""The most dimensions that a vector index takes."""
_UNTUNED_COSINE: Final = 0.3
_OK: Final = 200
_NOT_FOUND: Final = 404
_TOKEN: Final = re.compile(r"\w{1,5}|[^\w\s]")
_NAME: Final = re.compile(OLLAMA_NAME)


@dataclass(frozen=True, slots=True)
class Waits:
    """How many seconds the server is waited for."""

    list_s: float = 5.0
    query_s: float = 10.0
    passage_s: float = 60.0
    """For one passage: the first one waits until the server has loaded the model."""
    rest_s: float = 10.0
    """In which a model that failed a query is not asked by another."""


@dataclass(frozen=True, slots=True)
class _Identity:
    fingerprint: str = ""
    dimensions: int = 0


class OllamaEmbedder:
    """An embedding model of an Ollama server. Thread-safe."""

    def __init__(self, name: str, address: str, waits: Waits | None = None) -> None:
        self.provider: Final = "ollama"
        # Fixed: chunks must be the same whether the server was up when a file was read or not.
        self.window: Final = _WINDOW
        self.query_prefix: Final = ""
        self.low_confidence_cosine: Final = _UNTUNED_COSINE
        self.is_local: Final = True
        self.name: Final = name
        self.slug: Final = slug_of(name)
        self._model = name.removeprefix(OLLAMA)
        self._peer = egress.Peer(name, address)
        self._waits = waits or Waits()
        self._identity = _Identity()
        self._failure: GarageError | None = None
        self._rests_until = 0.0

    @property
    def dimensions(self) -> int:
        """Width of every vector; 0 until `probe` has found out."""
        return self._identity.dimensions

    @property
    def fingerprint(self) -> str:
        """The digest that the server listed last; empty until `probe` has found out."""
        return self._identity.fingerprint

    def probe(self) -> None:
        """Ask the server which weights it has under the name; of new ones, how wide they are."""
        digest = self._digest()
        if digest != self._identity.fingerprint:
            (vector,) = self._embed([CONTROL], self._waits.passage_s)
            if not 0 < vector.size <= _WIDEST:
                raise BadReply(f"a vector of {vector.size} dimensions")
            self._identity = _Identity(digest, vector.size)

    def count_tokens(self, text: str) -> int:
        """Estimate the tokens, rather too many: the server's tokenizer cannot be asked."""
        return len(_TOKEN.findall(text))

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order."""
        vectors = self._embed(texts, self._waits.passage_s) if texts else []
        self._rests_until = 0.0
        return vectors

    def embed_query(self, text: str) -> Vector:
        """Return the vector that a query searches with; soon, or not at all."""
        if self._failure and time.monotonic() < self._rests_until:
            raise self._failure
        try:
            self.probe()
            (vector,) = self._embed([text], self._waits.query_s)
        except Unavailable as error:
            self._failure, self._rests_until = error, time.monotonic() + self._waits.rest_s
            raise
        return vector

    def _digest(self) -> str:
        answer = self._peer.ask(
            "GET", "/api/tags", None, timeout_s=self._waits.list_s, most_bytes=_LIST_BYTES
        )
        if answer.status != _OK:
            raise self._refused(answer.status)
        listed = _field(answer.json(), "models")
        wanted = self._model if ":" in self._model else f"{self._model}:latest"
        for model in cast("list[Any]", listed) if isinstance(listed, list) else []:
            digest = _field(model, "digest")
            if _field(model, "name") == wanted and isinstance(digest, str) and digest:
                return digest
        raise self._refused(_NOT_FOUND)

    def _embed(self, texts: Sequence[str], timeout_s: float) -> list[Vector]:
        _require_unicode(texts)
        question = {
            "model": self._model,
            "input": list(texts),
            "truncate": True,
            # Else a server reads as much as it is set to, which may be little.
            "options": {"num_ctx": _WINDOW},
        }
        most = _VECTOR_BYTES * (1 + len(texts))
        answer = self._peer.ask(
            "POST", "/api/embed", question, timeout_s=timeout_s, most_bytes=most
        )
        if answer.status != _OK:
            raise self._refused(answer.status)
        rows = _field(answer.json(), "embeddings")
        if not isinstance(rows, list):
            raise BadReply("a reply without embeddings")
        vectors = [_vector(row) for row in cast("list[object]", rows)]
        if len(vectors) != len(texts):
            raise BadReply(f"{len(vectors)} vectors for {len(texts)} texts")
        return vectors

    def _refused(self, status: int) -> Unavailable:
        if status == _NOT_FOUND:
            message = f"The Ollama server has no model '{self._model}'."
            return Unavailable(message, hint=f"Run: ollama pull {self._model}")
        message = f"{self.name} failed at its server (HTTP {status})."
        return Unavailable(message, hint="Look at the log of Ollama.")


def slug_of(name: str) -> str:
    """Return the slug of a model `ollama/NAME`.

    Raises:
        InvalidInput: it is no name of a model.
    """
    model = name.removeprefix(OLLAMA)
    if not _NAME.fullmatch(model):
        message = f"'{name}' names no model of Ollama."
        raise InvalidInput(message, hint=f"Write {OLLAMA}NAME or {OLLAMA}NAME:TAG.")
    return "ollama_" + re.sub("[^a-z0-9]", "_", model.removesuffix(":latest").lower())[:23]


def open_model(name: str, host: str) -> OllamaEmbedder:
    """Return the model of that name; the server is asked later, by `probe`.

    Raises:
        InvalidInput: the name is none, or the server is not on this machine.
    """
    return OllamaEmbedder(name, egress.loopback(host, SETTING))


def _require_unicode(texts: Sequence[str]) -> None:
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError:
        message = "The model cannot read a text that is not valid Unicode."
        raise InvalidInput(message, hint="Save it as UTF-8 and ingest it again.") from None


def _vector(row: object) -> Vector:
    """Return a row of numbers as a vector, of length 1 where it has a length."""
    if not isinstance(row, list) or not all(map(_is_number, cast("list[object]", row))):
        raise BadReply("something else than numbers for a vector")
    try:
        with np.errstate(over="ignore"):
            vector = np.array(row, dtype=np.float32)
            length = float(np.linalg.norm(vector))
    except OverflowError as error:
        raise BadReply("a number beyond all bounds for a vector") from error
    return vector / np.float32(length) if 0 < length < float("inf") else vector


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _field(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None
