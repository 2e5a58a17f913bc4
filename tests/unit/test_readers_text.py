"""Text, Markdown and code: charsets, front matter, titles, classes, trust."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction import walk
from extraction.errors import ReadRefused
from extraction.gitlog import Written
from extraction.readers import Readers
from extraction.readers.decoding import decode
from extraction.settings import ReadingSettings
from graphstore.records import Author
from tests.unit.reading import found_in, read_file, source_at

OWNER = ReadingSettings(self_identities=("Ada@Example.org",), self_names=("Ada Example",))


@pytest.fixture
def readers() -> Iterator[Readers]:
    with Readers(OWNER) as opened:
        yield opened


GREETING = "Grüße aus dem Süden – für 5 € fährt man übers Meer, schön ist’s auf der Fähre.\n"
CYRILLIC = "Смотритель маяка каждое утро перед завтраком записывал погоду и читал письма.\n" * 3
JAPANESE = "灯台守は毎朝、朝食の前に天気を書き留めて、それから手紙を読みました。\n" * 3


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C08")
@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("utf-8", GREETING),
        ("utf-8-sig", GREETING),
        ("utf-16", GREETING),
        ("utf-32", GREETING),
        ("cp1252", GREETING * 4),
        ("cp1251", CYRILLIC),
        ("koi8-r", CYRILLIC),
        ("shift_jis", JAPANESE),
        ("euc_jp", JAPANESE),
    ],
)
def test_text_in_any_usual_charset_is_read(
    readers: Readers, tmp_path: Path, charset: str, text: str
) -> None:
    assert read_file(readers, tmp_path, "a.txt", text.encode(charset)).text == text


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C08")
def test_text_is_kept_as_it_is_save_for_line_ends(readers: Readers, tmp_path: Path) -> None:
    draft = read_file(readers, tmp_path, "a.txt", "a\r\n\tb \rc\u202e\u200b\u0301 d\n\n")
    assert draft.text == "a\n\tb \nc\u202e\u200b\u0301 d\n\n"


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C08")
def test_lone_surrogates_are_replaced_and_a_broken_byte_spoils_no_other_letter() -> None:
    assert decode(b"a \xed\xa0\x80 b") == "a � b"
    damaged = ("ü" * 100).encode() + b"\xff" + "ä".encode()
    assert decode(damaged) == "ü" * 100 + "�ä"


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C08")
@given(st.binary(max_size=400), st.sampled_from([None, "utf-7", "zip", "idna", "nonsense", "big5"]))
def test_any_bytes_give_text_that_can_be_stored_or_are_binary(
    data: bytes, declared: str | None
) -> None:
    try:
        text = decode(data, declared)
    except ReadRefused as refused:
        assert refused.state == "skipped"
    else:
        assert text.encode("utf-8").decode() == text
        assert not set(text) & {"\0", "\r"}


@pytest.mark.req("SRC-3")
@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "empty"),
        ("a.md", b" \n\t\n", "empty"),
        ("a.txt", b"abc\0def", "binary"),
        ("unknown", b"\x7fELF\0\0", "binary"),
        ("a.js", b"var a=function(){b.c(1)||d[2]};" * 900, "minified"),
    ],
)
def test_what_is_not_worth_storing_is_skipped_with_its_reason(
    readers: Readers, tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    with pytest.raises(ReadRefused, match=reason) as refused:
        read_file(readers, tmp_path, name, data)
    assert refused.value.state == "skipped"


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C08")
def test_more_text_than_the_limit_is_too_large(tmp_path: Path) -> None:
    with (
        Readers(ReadingSettings(max_text_characters=100)) as readers,
        pytest.raises(ReadRefused) as refused,
    ):
        read_file(readers, tmp_path, "a.txt", "word " * 100)
    assert refused.value.state == "too_large"


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "---\ntitle: From front matter\n---\n# Heading\n", "From front matter"),
        ("a.md", "intro\n\n```sh\n# not this\n```\n## This one ##\n", "This one"),
        ("2024-05-06_trip-to_the-sea.md", "no heading", "2024-05-06 trip to the sea"),
        ("deep/some_notes.txt", "text", "some notes"),
        ("src/app/main.py", "print(1)\n", "src/app/main.py"),
    ],
)
def test_the_title_is_what_the_document_says_else_its_name(
    readers: Readers, tmp_path: Path, name: str, text: str, title: str
) -> None:
    assert read_file(readers, tmp_path, name, text).title == title


@pytest.mark.req("SRC-5")
@pytest.mark.req("SRC-6")
def test_front_matter_tells_authors_date_and_class(readers: Readers, tmp_path: Path) -> None:
    text = (
        "---\nauthors:\n  - Bo Example <bo@example.org>\n  - name: Cy Example\n"
        "date: 2024-03-04\nclass: communication\n---\nText.\n"
    )
    draft = read_file(readers, tmp_path, "a.md", text)
    assert draft.authors == (
        Author("Bo Example", "email:bo@example.org"),
        Author("Cy Example"),
    )
    assert draft.mtime == datetime(2024, 3, 4, tzinfo=UTC)
    assert draft.corpus_class == "communication"
    assert draft.text == text


@pytest.mark.req("SRC-5")
@pytest.mark.req("SRC-6")
def test_front_matter_of_toml_tells_the_same(readers: Readers, tmp_path: Path) -> None:
    text = (
        '+++\ntitle = "The light"\nauthor = "Bo Example <bo@example.org>"\n'
        'date = 2024-03-04T05:06:07Z\ntags = ["sea"]\n+++\n# Heading\n\nText.\n'
    )
    draft = read_file(readers, tmp_path, "a.md", text)
    assert (draft.title, draft.text) == ("The light", text)
    assert draft.authors == (Author("Bo Example", "email:bo@example.org"),)
    assert draft.mtime == datetime(2024, 3, 4, 5, 6, 7, tzinfo=UTC)
    broken = read_file(readers, tmp_path, "b.md", "+++\ntitle = \n+++\n# Heading\n")
    assert broken.title == "Heading"


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize(
    ("name", "language", "mime"),
    [
        ("a.kt", "kotlin", "text/x-kotlin"),
        ("a.cs", "csharp", "text/x-csharp"),
        ("a.sql", "sql", "application/sql"),
        ("a.lua", "lua", "text/x-lua"),
        ("a.R", "r", "text/x-r"),
        ("a.fish", "bash", "text/x-bash"),
        ("a.bat", "batch", "text/x-batch"),
        ("a.css", "css", "text/css"),
        ("Makefile.am", "makefile", "text/x-makefile"),
        ("Dockerfile.dev", "dockerfile", "text/x-dockerfile"),
        ("a.yaml", "yaml", "application/yaml"),
        ("a.toml", "toml", "application/toml"),
        ("a.ini", "ini", "text/x-ini"),
    ],
)
def test_a_program_is_code_of_its_language(
    readers: Readers, tmp_path: Path, name: str, language: str, mime: str
) -> None:
    draft = read_file(readers, tmp_path, name, "one = 1\n")
    assert (draft.form, draft.corpus_class) == ("code", "code")
    assert (draft.language, draft.mime) == (language, mime)


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C10")
@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk\n-----END OPENSSH PRIVATE KEY-----\n",
        "\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n",
    ],
)
def test_a_private_key_is_never_stored_whatever_its_file_is_called(
    readers: Readers, tmp_path: Path, text: str
) -> None:
    with pytest.raises(ReadRefused, match="keys or passwords") as refused:
        read_file(readers, tmp_path, "notes.txt", text)
    assert refused.value.state == "skipped"
    assert "MII" not in refused.value.reason
    about = f"How a key begins:\n\n{text}"
    assert read_file(readers, tmp_path, "howto.md", about).text == about


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
)


@pytest.mark.req("SRC-3")
@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "front_matter",
    [
        BOMB + "author: *j\ntitle: *j",
        "title: [",
        "date: 2024-13-45",
        "? [a]: b",
        "title: !!python/object/apply:os.system [echo]",
        "- a list",
        "[a, " * 3000,
        "date: 0001-01-01T00:00:00+14:00",
        "1: 2\ntitle: 7\nauthor: [[], {}, 3]",
    ],
)
def test_hostile_or_broken_front_matter_is_text_and_nothing_more(
    readers: Readers, tmp_path: Path, front_matter: str
) -> None:
    text = f"---\n{front_matter}\n---\n# Heading\n\nText.\n"
    draft = read_file(readers, tmp_path, "a.md", text)
    assert (draft.text, draft.title, draft.authors) == (text, "Heading", ())


@pytest.mark.req("SRC-5")
@pytest.mark.req("SRC-6")
@pytest.mark.parametrize(
    ("author", "is_self"),
    [
        ("Ada <ADA@example.org>", True),
        ("Ada Example", True),
        ("Ada Example <other@example.org>", False),
        ("Bo Example", False),
    ],
)
def test_the_owner_is_known_by_address_and_by_name_only_where_no_address_is(
    readers: Readers, tmp_path: Path, author: str, is_self: bool
) -> None:
    draft = read_file(readers, tmp_path, "a.md", f"---\nauthor: {author}\n---\nText.\n")
    assert draft.authors[0].is_self is is_self
    assert draft.trust == ("authored" if is_self else "reference")


@pytest.mark.req("SRC-6")
def test_authors_and_date_from_git_count_where_the_document_names_none(
    readers: Readers, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("Text.\n")
    (tmp_path / "b.md").write_text("---\nauthor: Bo\ndate: 2024-03-04\n---\nText.\n")
    source = source_at(tmp_path)
    at = datetime(2022, 1, 2, tzinfo=UTC)
    committer = Written((Author("Ada", "email:ada@example.org"),), at)
    drafts = [
        draft
        for item in found_in(source)
        if isinstance(item, walk.Candidate)
        for (draft,) in readers.read(walk.load(item), source, committer)
    ]
    assert [d.authors[0].name for d in drafts] == ["Ada", "Bo"]
    assert [d.trust for d in drafts] == ["authored", "reference"]
    # The checkout's time says nothing; what a document itself states wins.
    assert [d.mtime for d in drafts] == [at, datetime(2024, 3, 4, tzinfo=UTC)]


@pytest.mark.req("SRC-5")
def test_code_is_code_but_in_a_source_of_communication_everything_is(
    readers: Readers, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("print(1)\n")
    for default, expected in (("document", "code"), ("communication", "communication")):
        source = source_at(tmp_path, corpus_class=default)
        (item,) = found_in(source)
        assert isinstance(item, walk.Candidate)
        ((draft,),) = readers.read(walk.load(item), source)
        assert (draft.corpus_class, draft.form, draft.language) == (expected, "code", "python")


@pytest.mark.req("SRC-1")
def test_a_document_of_the_inbox_is_named_by_its_bytes(readers: Readers, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Text.\n")
    source = source_at(tmp_path, "inbox")
    (item,) = found_in(source)
    assert isinstance(item, walk.Candidate)
    loaded = walk.load(item)
    ((draft,),) = readers.read(loaded, source)
    assert draft.uri == f"inbox://{loaded.sha256}"
    assert draft.path == "a.txt"


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Gauge at the bridge\n\nIt was read at noon.", "Gauge at the bridge"),
        ("It was read at noon.\nThen came the rain.", "01 field notes"),
        ("2026-05-01\nThen came the rain.", "01 field notes"),
        ("Gauge at the bridge", "01 field notes"),
        ("Gauge " * 30 + "\nThen came the rain.", "01 field notes"),
    ],
)
def test_the_title_of_plain_text_is_a_first_line_that_reads_like_one(
    readers: Readers, tmp_path: Path, text: str, title: str
) -> None:
    assert read_file(readers, tmp_path, "01_field_notes.txt", text).title == title
