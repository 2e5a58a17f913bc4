"""Embedding by an Ollama server: what it says is checked, and nothing it does hangs or leaks."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from extraction import embedding
from extraction.embedding import Passage, Refusal
from extraction.embedding_settings import EmbeddingSettings
from extraction.errors import ProviderBusy
from extraction.providers import ollama, registry
from extraction.providers.ollama import OllamaEmbedder, Waits
from graphstore.errors import InvalidInput, Unavailable
from tests.faults.badmodel import DIGEST, DIMENSIONS, OTHER_DIGEST, BadModel, Behaviour, serving
from tests.faults.canary import sightings, token

WAITS = Waits(list_s=5, query_s=0.3, passage_s=0.5, rest_s=60)
SECRET = token("a letter")


@pytest.fixture
def bad() -> Iterator[BadModel]:
    with serving(BadModel()) as model:
        yield model


@pytest.fixture
def embedder(bad: BadModel) -> OllamaEmbedder:
    made = OllamaEmbedder("ollama/gauge", bad.address, WAITS)
    made.probe()
    return made


@pytest.mark.req("EMB-1")
def test_a_probe_finds_width_and_weights_and_texts_get_vectors(embedder: OllamaEmbedder) -> None:
    assert (embedder.dimensions, embedder.fingerprint) == (DIMENSIONS, DIGEST)
    near, far = embedder.embed_passages(["the old weir", "a boat of oak"])
    query = embedder.embed_query("weir")
    assert query @ near > query @ far
    assert [round(float(np.linalg.norm(each)), 5) for each in (near, far, query)] == [1, 1, 1]
    assert embedder.embed_passages([]) == []


@pytest.mark.req("EMB-1")
def test_models_of_ollama_are_opened_by_name_and_asked_later(bad: BadModel, tmp_path: Path) -> None:
    settings = EmbeddingSettings(models=("ollama/gauge",), ollama_host=bad.address)
    (opened,) = registry.open_embedders(settings, (), tmp_path)
    assert (opened.name, opened.slug, opened.is_local) == ("ollama/gauge", "ollama_gauge", True)
    assert bad.sent == b""
    with pytest.raises(InvalidInput, match=r"embedding\.ollama_host is 192\.0\.2\.7"):
        registry.open_embedders(replace(settings, ollama_host="http://192.0.2.7"), (), tmp_path)
    with pytest.raises(InvalidInput, match="names no model"):
        registry.open_embedders(replace(settings, models=("ollama/a b",)), (), tmp_path)


@pytest.mark.req("EMB-2")
def test_set_up_unpacks_nothing_for_a_model_of_a_server(tmp_path: Path) -> None:
    registry.unpack("ollama/some-model:latest", (), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("ollama/nomic-embed-text:v1.5", "ollama_nomic_embed_text_v1_5"),
        ("ollama/all-minilm:latest", "ollama_all_minilm"),
        ("ollama/" + "Long" * 20, "ollama_" + ("long" * 20)[:23]),
    ],
)
def test_a_models_name_becomes_a_slug(name: str, slug: str) -> None:
    assert ollama.slug_of(name) == slug


WHOLE: dict[Behaviour, str] = {
    "hang": "did not answer within 0.5 s",
    "drip": "did not answer within 0.5 s",
    "500": "HTTP 500",
    "429": "is busy",
    "missing": "no model 'gauge'. Run: ollama pull gauge",
    "redirect": "redirection",
    "truncated": "broke off its reply",
    "endless": "more than",
    "not_json": "no JSON",
    "deep": "no JSON",
    "nan": "no JSON",
    "wrong_count": "2 vectors for 1 texts",
    "strings": "something else than numbers",
    "huge": "beyond all bounds",
}
"""What fails the model as a whole: nothing is known of the text."""


@pytest.mark.campaign("C42")
@pytest.mark.campaign("C43")
@pytest.mark.req("EMB-3")
@pytest.mark.parametrize("behaviour", WHOLE)
def test_a_server_that_fails_fails_no_text_and_says_so_without_it(
    embedder: OllamaEmbedder, bad: BadModel, behaviour: Behaviour
) -> None:
    bad.behaviour, bad.only = behaviour, SECRET
    with pytest.raises(Unavailable) as caught:
        embedding.embed(embedder, [Passage(f"a letter {SECRET}", "communication")])
    said = str(caught.value)
    assert WHOLE[behaviour] in said
    assert sightings([SECRET], {"the error": said}) == []
    if behaviour == "429":
        assert isinstance(caught.value, ProviderBusy)
        assert caught.value.retry_after_s == 30
    bad.behaviour = "well"
    (vector,) = embedding.embed(embedder, [Passage(f"a letter {SECRET}", "communication")])
    assert not isinstance(vector, Refusal)


ALONE: dict[Behaviour, str] = {
    "wrong_dims": f"33 dimensions instead of {DIMENSIONS}",
    "inf": "not finite",
    "empty": f"0 dimensions instead of {DIMENSIONS}",
    "zero": "all zero",
}
"""What fails one text."""


@pytest.mark.campaign("C43")
@pytest.mark.req("EMB-4")
@pytest.mark.parametrize("behaviour", ALONE)
def test_a_wrong_vector_is_refused_and_a_model_that_only_gives_those_is_ill(
    embedder: OllamaEmbedder, bad: BadModel, behaviour: Behaviour
) -> None:
    bad.behaviour, bad.only = behaviour, "spoiled"
    good, refused = embedding.embed(
        embedder, [Passage("a good text", "document"), Passage("a spoiled text", "document")]
    )
    assert isinstance(good, np.ndarray)
    assert isinstance(refused, Refusal)
    assert ALONE[behaviour] in refused.reason
    embedding.require_well(embedder)
    bad.only = ""
    with pytest.raises(Unavailable, match="no vectors that can be used") as caught:
        embedding.require_well(embedder)
    assert ALONE[behaviour] in caught.value.message


@pytest.mark.campaign("C44", part=True)
@pytest.mark.req("EMB-1")
def test_a_model_that_was_replaced_shows_another_fingerprint(
    embedder: OllamaEmbedder, bad: BadModel
) -> None:
    asked = len(bad.asked)
    embedder.probe()
    assert len(bad.asked) == asked
    bad.digest = OTHER_DIGEST
    embedder.embed_query("a query asks who is there first")
    assert embedder.fingerprint == OTHER_DIGEST


@pytest.mark.campaign("C42")
def test_a_query_waits_shortly_and_the_next_one_not_at_all(
    embedder: OllamaEmbedder, bad: BadModel
) -> None:
    bad.behaviour, bad.only = "hang", "frozen"
    with pytest.raises(Unavailable, match=r"within 0\.3 s"):
        embedder.embed_query("a frozen query")
    sent = len(bad.sent)
    with pytest.raises(Unavailable, match=r"within 0\.3 s"):
        embedder.embed_query("a query that comes later")
    assert len(bad.sent) == sent
    bad.behaviour = "well"
    embedder.embed_passages(["a passage that is embedded ends the rest"])
    assert embedder.embed_query("so queries are asked again").size == DIMENSIONS


@pytest.mark.campaign("C42")
def test_nobody_at_the_port_is_said_with_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(Unavailable, match=f"nothing listens at {address}"):
        OllamaEmbedder("ollama/gauge", address, WAITS).probe()


@pytest.mark.campaign("C50", part=True)
def test_proxies_of_the_environment_are_not_asked(
    bad: BadModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    OllamaEmbedder("ollama/gauge", bad.address, WAITS).probe()
    assert b"GET /api/tags" in bad.sent


def test_a_text_that_is_no_unicode_is_refused_alone(embedder: OllamaEmbedder) -> None:
    good, refused = embedding.embed(
        embedder, [Passage("good", "document"), Passage("half \ud800 pair", "document")]
    )
    assert isinstance(good, np.ndarray)
    assert isinstance(refused, Refusal)
    assert embedder.count_tokens("The gauge, at noon.") == 6
