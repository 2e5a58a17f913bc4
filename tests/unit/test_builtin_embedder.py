"""The built-in embedders, with their real weights, and what embedding promises about them."""

import zipfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

from extraction import chunking, context, embedding
from extraction.embedding import Passage, Refusal
from extraction.embedding_settings import EmbeddingSettings
from extraction.providers import builtin, registry
from extraction.providers.base import Embedder, Vector
from graphstore.errors import InvalidInput, Unavailable
from graphstore.records import Draft
from graphstore.server import jars

NAMES = [model.name for model in builtin.BUILTIN_MODELS]
BGE = builtin.BUILTIN_MODELS[0]

TEXTS = [
    "The cat sleeps on the warm windowsill.",
    "A kitten naps in the sun by the window.",
    "The quarterly report lists revenue by region.",
]


@pytest.fixture(scope="module")
def embedder_jars(jar_cache: Path) -> tuple[Path, ...]:
    return jars.fetch("embedder", jar_cache, None, print)


@pytest.fixture(scope="module")
def models(
    embedder_jars: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Embedder]:
    cache = tmp_path_factory.mktemp("cache")
    return {name: registry.open_embedder(name, embedder_jars, cache) for name in NAMES}


@pytest.fixture(params=NAMES)
def embedder(request: pytest.FixtureRequest, models: dict[str, Embedder]) -> Embedder:
    return models[request.param]


@pytest.fixture
def bge_jar(embedder_jars: tuple[Path, ...]) -> Path:
    return next(jar for jar in embedder_jars if jar.name == BGE.jar)


@pytest.mark.req("EMB-2")
def test_the_same_text_has_the_same_vector_bit_for_bit_alone_or_in_a_list(embedder: Embedder):
    together = embedder.embed_passages(TEXTS)
    alone = [embedder.embed_passages([text])[0] for text in TEXTS]
    again = embedder.embed_passages(TEXTS[::-1])[::-1]
    assert [v.tobytes() for v in together] == [v.tobytes() for v in alone]
    assert [v.tobytes() for v in together] == [v.tobytes() for v in again]


@pytest.mark.req("EMB-2")
@pytest.mark.parametrize("text", ["", "a", " \n", "文字 👩‍👩‍👧", "word " * 5_000, "x" * 50_000])
def test_any_text_has_a_vector_of_the_right_width_and_of_length_one(embedder: Embedder, text: str):
    for vector in (*embedder.embed_passages([text]), embedder.embed_query(text)):
        assert (vector.dtype, vector.shape) == (np.float32, (embedder.dimensions,))
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
        assert embedding.check(vector, 384) is None


@pytest.mark.req("EMB-2")
def test_related_texts_are_closer_than_unrelated_ones(embedder: Embedder):
    cat, kitten, report = embedder.embed_passages(TEXTS)
    assert float(cat @ kitten) > float(cat @ report) + 0.1


@pytest.mark.req("EMB-2")
def test_a_query_finds_the_passage_that_answers_it(embedder: Embedder):
    query = embedder.embed_query("Where is the income of each area written down?")
    closest = max(TEXTS, key=lambda text: float(query @ embedder.embed_passages([text])[0]))
    assert closest == TEXTS[2]


@pytest.mark.req("EMB-2")
@pytest.mark.parametrize("spec", builtin.BUILTIN_MODELS, ids=lambda spec: spec.slug)
def test_each_model_pools_by_its_own_convention(
    spec: builtin.BuiltinModel, models: dict[str, Embedder], embedder_jars: tuple[Path, ...]
):
    jar = next(jar for jar in embedder_jars if jar.name == spec.jar)
    tokenizer = Tokenizer.from_str(jars.read_member(jar, spec.tokenizer.member).decode())
    tokenizer.no_padding()
    session = InferenceSession(jars.read_member(jar, spec.weights.member))
    ids = np.array([tokenizer.encode(TEXTS[0]).ids], dtype=np.int64)
    names = ("input_ids", "attention_mask", "token_type_ids")
    feed = dict(zip(names, (ids, np.ones_like(ids), np.zeros_like(ids)), strict=True))
    hidden = np.asarray(session.run(None, feed)[0])[0]
    pooled = {"bge": hidden[0], "minilm": hidden.mean(axis=0)}[spec.slug]
    (vector,) = models[spec.name].embed_passages([TEXTS[0]])
    assert float(vector @ pooled / np.linalg.norm(pooled)) == pytest.approx(1, abs=1e-4)


@pytest.mark.req("EMB-2")
def test_what_stands_beyond_the_window_is_not_read_and_what_stands_in_it_is(embedder: Embedder):
    room = embedder.window - 2
    first, beyond, within = embedder.embed_passages(
        ["word " * room, "word " * room + "garden", "word " * (room - 1) + "garden"]
    )
    assert np.array_equal(first, beyond)
    assert not np.array_equal(first, within)


@pytest.mark.req("EMB-2")
def test_tokens_are_counted_beyond_the_window_and_without_special_ones(embedder: Embedder):
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("word " * 1_000) == 1_000


@pytest.mark.req("EMB-2")
def test_only_queries_have_the_prefix_of_the_model(models: dict[str, Embedder]):
    bge = models[BGE.name]
    (passage,) = bge.embed_passages([bge.query_prefix + TEXTS[0]])
    assert np.array_equal(bge.embed_query(TEXTS[0]), passage)
    assert not np.array_equal(bge.embed_query(TEXTS[0]), bge.embed_passages([TEXTS[0]])[0])


@pytest.mark.req("EMB-2")
def test_two_threads_in_a_session_give_the_vector_of_one(
    models: dict[str, Embedder], bge_jar: Path, tmp_path: Path
):
    two = builtin.load(BGE, bge_jar, tmp_path, threads=2)
    one = models[BGE.name]
    assert np.array_equal(two.embed_query(TEXTS[0]), one.embed_query(TEXTS[0]))


@pytest.mark.req("EMB-1")
@pytest.mark.parametrize("form", ["text", "markdown"])
def test_real_chunks_are_read_whole_by_both_models(models: dict[str, Embedder], form: str):
    text = "# Beds\n\n" + "The north bed's peas (sown 3 March) grew x_1=0.75 cm/day. " * 300
    draft = Draft(
        uri="notes:plan.md",
        path="plan.md",
        title="Garden plan of the northern beds",
        text=text,
        form="markdown" if form == "markdown" else "text",
        mime="text/plain",
        language="en",
        corpus_class="document",
        trust="authored",
        content_sha256="",
        bytes=0,
        mtime=datetime(2026, 3, 4, tzinfo=UTC),
    )
    smallest = min(models.values(), key=lambda model: model.window)
    limits = chunking.ChunkLimits(window=smallest.window)
    for chunk in chunking.split(draft, limits, smallest.count_tokens):
        read = context.embedded_text(chunk.context, chunk.text)
        assert all(model.count_tokens(read) + 2 <= model.window for model in models.values())


@pytest.mark.req("EMB-2")
def test_the_default_model_is_a_built_in_one():
    assert EmbeddingSettings().models == (BGE.name,)
    assert [registry.model(name).name for name in NAMES] == NAMES


@pytest.mark.req("EMB-2")
def test_the_table_names_the_jars_of_the_lock():
    locked = {(jar.group, jar.artifact, jar.version, jar.name) for jar in jars.locked("embedder")}
    table = {(m.group, m.artifact, m.version, m.jar) for m in builtin.BUILTIN_MODELS}
    assert table == locked


@pytest.mark.req("EMB-2")
def test_an_unknown_model_is_refused_and_the_known_ones_are_named(tmp_path: Path):
    with pytest.raises(InvalidInput, match=r"no embedding model 'bgr'.*all-MiniLM-L6-v2"):
        registry.open_embedder("bgr", [], tmp_path)


@pytest.mark.campaign("C42")
def test_a_jar_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(Unavailable, match=r"bge-small-en-v15-q-.*\.jar is not there"):
        registry.open_embedder(BGE.name, [], tmp_path)
    with pytest.raises(Unavailable, match="cannot be read"):
        builtin.load(BGE, tmp_path / BGE.jar, tmp_path)


@pytest.mark.req("EMB-2")
def test_weights_with_another_hash_are_never_loaded_and_leave_nothing(tmp_path: Path):
    jar = tmp_path / BGE.jar
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr(BGE.weights.member, b"other weights")
    with pytest.raises(Unavailable, match="another hash"):
        builtin.load(BGE, jar, tmp_path)
    with pytest.raises(Unavailable, match=r"tokenizer\.json .* is missing"):
        builtin.unpacked(BGE.tokenizer, jar, tmp_path / "models")
    assert [path for path in (tmp_path / "models").rglob("*") if path.is_file()] == []


@pytest.mark.req("EMB-2")
def test_a_damaged_file_in_the_cache_is_unpacked_again(bge_jar: Path, tmp_path: Path):
    builtin.load(BGE, bge_jar, tmp_path)
    (tokenizer,) = tmp_path.rglob(BGE.tokenizer.member)
    whole = tokenizer.read_bytes()
    tokenizer.write_bytes(whole[:-1])
    assert builtin.load(BGE, bge_jar, tmp_path).count_tokens("two words") == 2
    assert tokenizer.read_bytes() == whole


class Scripted:
    """An embedder that gives what it was told to, and refuses the text `bad`."""

    name = "scripted"
    slug = "scripted"
    provider = "test"
    low_confidence_cosine = 0.0
    dimensions = 3
    window = 512
    fingerprint = "0"
    query_prefix = ""

    def __init__(self, answer: Vector, *, is_local: bool = True, extra: int = 0) -> None:
        self.answer = answer
        self.is_local = is_local
        self.extra = extra
        self.seen: list[str] = []

    def probe(self) -> None:
        pass

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if "bad" in texts:
            raise InvalidInput("The model cannot read this text.")
        self.seen += texts
        return [self.answer] * (len(texts) + self.extra)

    def embed_query(self, text: str) -> Vector:
        return self.embed_passages([text])[0]


GOOD = np.array([1, 0, 0], dtype=np.float32)


@pytest.mark.req("EMB-4")
@pytest.mark.parametrize(
    ("vector", "reason"),
    [
        (np.array([1, 0], dtype=np.float32), "2 dimensions instead of 3"),
        (np.array([], dtype=np.float32), "0 dimensions instead of 3"),
        (np.ones((1, 3), dtype=np.float32), "1 x 3 dimensions"),
        (np.array([np.nan, 0, 0], dtype=np.float32), "not finite"),
        (np.array([np.inf, 0, 0], dtype=np.float32), "not finite"),
        (np.zeros(3, dtype=np.float32), "all zero"),
        (np.array(["1", "0", "0"]), "instead of numbers"),
        ([1.0, 0.0, 0.0], "list instead of a vector"),
    ],
)
def test_a_vector_that_is_none_is_refused_with_its_reason(vector: Vector, reason: str):
    (outcome,) = embedding.embed(Scripted(vector), [Passage("secret", "document")])
    assert isinstance(outcome, Refusal)
    assert reason in outcome.reason
    assert "secret" not in outcome.reason


@pytest.mark.req("EMB-4")
def test_one_bad_text_is_refused_alone():
    passages = [Passage(text, "document") for text in ("one", "bad", "two")]
    one, bad, two = embedding.embed(Scripted(GOOD), passages)
    assert one is GOOD
    assert two is GOOD
    assert bad == Refusal("The model cannot read this text.")


@pytest.mark.req("EMB-4")
def test_half_a_character_is_refused_alone_by_the_real_model(models: dict[str, Embedder]):
    passages = [Passage(text, "document") for text in ("fine", "half \ud800")]
    fine, half = embedding.embed(models[BGE.name], passages)
    assert isinstance(fine, np.ndarray)
    assert isinstance(half, Refusal)


@pytest.mark.campaign("C43")
def test_another_number_of_vectors_than_of_texts_fails_as_a_whole():
    with pytest.raises(Unavailable, match="2 vectors for 1 texts"):
        embedding.embed(Scripted(GOOD, extra=1), [Passage("one", "document")])


@pytest.mark.req("PRV-2")
def test_communication_is_withheld_from_a_remote_embedder_and_the_rest_is_not():
    remote = Scripted(GOOD, is_local=False)
    passages = [Passage("mail", "communication"), Passage("note", "document")]
    mail, note = embedding.embed(remote, passages)
    assert isinstance(mail, Refusal)
    assert mail.is_withheld
    assert note is GOOD
    assert remote.seen == ["note"]


@pytest.mark.req("EMB-1")
def test_a_changed_row_of_the_table_changes_the_name_in_the_cache(bge_jar: Path, tmp_path: Path):
    other = replace(BGE, name="other-name")
    builtin.load(other, bge_jar, tmp_path)
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["other-name-6c9c6101a956"]
