"""HTML, PDF, DOCX and notebooks, sound and broken, through the parsing process."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import docx
import pytest
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from fpdf import FPDF
from fpdf.enums import EncryptionMethod

from extraction.errors import ReadRefused
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.records import Author
from tests.unit.office_files import repacked
from tests.unit.reading import read_file

TEXT = "The lighthouse keeper wrote down the weather every morning."


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with Readers(ReadingSettings()) as opened:
        yield opened


def pdf(*pages: str, lock: str | None = None) -> bytes:
    document = FPDF()
    document.set_title("A Report")
    document.set_author("Ada Example <ada@example.org>")
    document.set_creation_date(datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC))
    document.set_font("helvetica", size=12)
    if lock is not None:
        document.set_encryption(
            owner_password="owner",  # noqa: S106 - of a file made here
            user_password=lock,
            encryption_method=EncryptionMethod.RC4,
        )
    for page in pages:
        document.add_page()
        document.multi_cell(0, 10, page) if page else None
    return bytes(document.output())


def docx_file() -> bytes:
    document = docx.Document()
    document.core_properties.author = "Ada Example"
    document.core_properties.title = "Minutes"
    document.core_properties.modified = datetime(2024, 5, 6, 7, 8, 9)
    document.add_heading("Lighthouse", level=1)
    document.add_paragraph(TEXT)
    document.add_paragraph("first", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("day", "rain", "Monday", "2 mm"), strict=True):
        cell.text = text
    document.add_heading("After the table", level=2)
    remarked = document.add_paragraph("Rain was rare.")
    document.add_comment(remarked.runs, "Was it?", author="Bo")
    out = BytesIO()
    document.save(out)
    return out.getvalue()


@pytest.mark.req("SRC-2")
def test_a_page_becomes_markdown_without_scripts_and_navigation(
    readers: Readers, tmp_path: Path
) -> None:
    page = (
        "<html><head><title>The  Keeper</title><meta name='Author' content='Bo Example'>"
        "<style>p{}</style></head><body><nav>Home</nav><h1>Weather</h1><p>Rain <b>again</b>.</p>"
        "<ul><li>one</li><li>two</li></ul><script>alert(1)</script><img src='x' alt='A tower'>"
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>"
    )
    draft = read_file(readers, tmp_path, "a.html", page)
    assert draft.text.startswith("# Weather\n\nRain **again**.\n\n- one\n- two")
    assert "A tower" in draft.text
    assert "| 1 | 2 |" in draft.text
    assert not any(word in draft.text for word in ("Home", "alert", "p{}", "Keeper"))
    assert (draft.title, draft.authors) == ("The Keeper", (Author("Bo Example"),))
    assert (draft.form, draft.mime) == ("markdown", "text/html")


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C08")
def test_a_page_in_a_charset_of_its_own_is_read_in_it(readers: Readers, tmp_path: Path) -> None:
    page = "<meta charset='koi8-r'><p>погода</p>".encode("koi8-r")
    assert read_file(readers, tmp_path, "a.htm", page).text == "погода"


@pytest.mark.req("SRC-3")
def test_a_page_nested_without_end_still_gives_its_words(readers: Readers, tmp_path: Path) -> None:
    page = "<div>" * 20_000 + TEXT
    with_words = read_file(readers, tmp_path, "a.html", page).text
    assert "lighthouse" in with_words or with_words == TEXT


@pytest.mark.req("SRC-2")
def test_a_pdf_gives_its_pages_title_and_author(readers: Readers, tmp_path: Path) -> None:
    draft = read_file(readers, tmp_path, "a.pdf", pdf(TEXT, "Second page."))
    assert draft.text == f"{TEXT}\n\nSecond page."
    assert draft.title == "A Report"
    assert draft.authors == (Author("Ada Example", "email:ada@example.org"),)
    assert draft.mtime == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert (draft.form, draft.language) == ("text", "en")


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C07")
@pytest.mark.parametrize(
    ("data", "state", "reason"),
    [
        (pdf(TEXT, lock="secret"), "failed", "encrypted"),
        (pdf(""), "skipped", "without a text layer"),
        (pdf(TEXT)[:300], "failed", "damaged"),
        (b"%PDF-1.7\n" + b"\xff" * 500, "failed", "damaged"),
    ],
    ids=["encrypted", "no text", "truncated", "noise"],
)
def test_a_pdf_that_cannot_be_read_says_why(
    readers: Readers, tmp_path: Path, data: bytes, state: str, reason: str
) -> None:
    with pytest.raises(ReadRefused, match=reason) as refused:
        read_file(readers, tmp_path, "a.pdf", data)
    assert refused.value.state == state


def pdf_of(*objects: str) -> bytes:
    """Return a PDF of these objects, numbered from 1; the first is its catalogue."""
    out = bytearray(b"%PDF-1.7\n")
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += "".join(f"{place:010} 00000 n \n" for place in places).encode()
    size = f"<< /Size {len(objects) + 1} /Root 1 0 R >>"
    return bytes(out + f"trailer\n{size}\nstartxref\n{start}\n%%EOF\n".encode())


CATALOGUE = "<< /Type /Catalog /Pages 2 0 R >>"
STREAM = "BT /F1 12 Tf (Rain on this page.) Tj ET"
PAGES = 10_000

HOSTILE = {
    "pages that hold each other": pdf_of(
        CATALOGUE,
        "<< /Type /Pages /Count 2 /Kids [3 0 R] >>",
        "<< /Type /Pages /Parent 2 0 R /Count 1 /Kids [2 0 R] >>",
    ),
    "an object that is itself": pdf_of(CATALOGUE, "2 0 R"),
    "a length that is itself": pdf_of(
        CATALOGUE,
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>",
        "<< /Length 4 0 R >>\nstream\nBT ET\nendstream",
    ),
    "10,000 pages": pdf_of(
        CATALOGUE,
        f"<< /Type /Pages /Count {PAGES} /Kids [{' '.join(['5 0 R'] * PAGES)}] >>",
        f"<< /Length {len(STREAM)} >>\nstream\n{STREAM}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Page /Parent 2 0 R /Contents 3 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
    ),
}


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C07")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_pdf_ends_with_an_outcome_and_the_next_file_is_read(
    tmp_path: Path, name: str
) -> None:
    with Readers(ReadingSettings(parse_timeout_s=20)) as readers:
        try:
            text = read_file(readers, tmp_path, "a.pdf", HOSTILE[name]).text
        except ReadRefused as refused:
            said = ("damaged", "without a text layer", "20 s (parse_timeout_s)", "parse_memory_mb")
            assert any(reason in refused.reason for reason in said)
        else:
            assert name == "10,000 pages"
            assert text.count("Rain on this page.") == PAGES
        assert read_file(readers, tmp_path, "b.html", f"<p>{TEXT}</p>").text == TEXT


@pytest.mark.req("SRC-2")
def test_a_pdf_that_is_locked_only_against_editing_is_read(
    readers: Readers, tmp_path: Path
) -> None:
    assert read_file(readers, tmp_path, "a.pdf", pdf(TEXT, lock="")).text == TEXT


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C07")
def test_a_parser_is_ended_at_its_time_limit_and_the_next_file_is_read(tmp_path: Path) -> None:
    with Readers(ReadingSettings(parse_timeout_s=0.001)) as readers:
        with pytest.raises(ReadRefused, match="parse_timeout_s"):
            read_file(readers, tmp_path, "a.pdf", pdf(*[TEXT * 20] * 40))
        assert read_file(readers, tmp_path, "b.txt", TEXT).text == TEXT
    with Readers(ReadingSettings()) as readers:
        assert read_file(readers, tmp_path, "c.pdf", pdf(TEXT)).text == TEXT


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C07")
def test_a_parser_that_takes_too_much_memory_fails_its_file_only(tmp_path: Path) -> None:
    with Readers(ReadingSettings(parse_memory_mb=256)) as readers:
        page = "<p>" + "word " * 12_000_000
        with pytest.raises(ReadRefused) as refused:
            read_file(readers, tmp_path, "a.html", page)
        assert refused.value.state == "failed"
        assert read_file(readers, tmp_path, "b.html", f"<p>{TEXT}</p>").text == TEXT


@pytest.mark.req("SRC-2")
def test_a_docx_becomes_markdown_in_the_order_of_its_parts(
    readers: Readers, tmp_path: Path
) -> None:
    draft = read_file(readers, tmp_path, "a.docx", docx_file())
    assert draft.text == (
        f"# Lighthouse\n\n{TEXT}\n\n- first\n\n"
        "| day | rain |\n| --- | --- |\n| Monday | 2 mm |\n\n## After the table\n\n"
        "Rain was rare.\n\n> Bo: Was it?"
    )
    assert (draft.title, draft.authors) == ("Minutes", (Author("Ada Example"),))
    assert draft.mtime == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


@pytest.mark.req("SRC-2")
def test_a_docx_gives_its_footnotes(readers: Readers, tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph(TEXT)
    notes = (
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        "<w:footnote><w:p><w:r><w:t>So he </w:t></w:r><w:r><w:t>said.</w:t></w:r></w:p>"
        "</w:footnote></w:footnotes>"
    )
    place, kind = PackURI("/word/footnotes.xml"), CONTENT_TYPE.WML_FOOTNOTES
    part = Part(place, kind, notes.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    out = BytesIO()
    document.save(out)
    assert read_file(readers, tmp_path, "a.docx", out.getvalue()).text == (
        f"{TEXT}\n\nNote: So he said."
    )


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C01")
def test_a_docx_that_is_a_zip_bomb_is_refused(readers: Readers, tmp_path: Path) -> None:
    bomb = repacked(docx_file(), "word/media/zeros.bin", b"\0" * (64 * 1024 * 1024))
    with pytest.raises(ReadRefused, match="zip bomb"):
        read_file(readers, tmp_path, "a.docx", bomb)


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C05")
def test_entities_in_a_docx_are_neither_expanded_nor_read_from_files(
    readers: Readers, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("the secret of the lighthouse")
    declared = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    body = (
        f'<!DOCTYPE d [<!ENTITY e0 "boom"><!ENTITY f SYSTEM "{(tmp_path / "secret").as_uri()}">'
        f'{declared}]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/'
        '2006/main"><w:body><w:p><w:r><w:t>kept &f; &e11;</w:t></w:r></w:p></w:body></w:document>'
    )
    file = repacked(docx_file(), "word/document.xml", body.encode())
    try:
        text = read_file(readers, tmp_path, "a.docx", file).text
    except ReadRefused as refused:
        text = refused.reason
    assert "secret" not in text
    assert "boom" not in text


@pytest.mark.req("SRC-3")
@pytest.mark.parametrize("name", ["a.docx", "a.ipynb", "a.pdf"])
def test_a_file_that_is_not_what_its_name_says_fails_without_its_text(
    readers: Readers, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ReadRefused, match="damaged") as refused:
        read_file(readers, tmp_path, name, "confidential " * 50)
    assert "confidential" not in str(refused.value)


def notebook(version: int) -> str:
    code = {"cell_type": "code", "metadata": {}, "outputs": []}
    if version == 3:
        cells = [
            {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["Rain"]},
            code | {"language": "python", "input": ["1 + 1"], "prompt_number": 1},
        ]
        sheet = {"cells": cells, "metadata": {}}
        top = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}}
        return json.dumps(top | {"worksheets": [sheet]})
    result = {"output_type": "execute_result", "metadata": {}, "execution_count": 1}
    outputs = [
        result | {"data": {"text/plain": ["2"], "image/png": "iVBORw0KGgo" * 90}},
        {"output_type": "stream", "name": "stdout", "text": ["long "] * 500},
    ]
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["## Rain\n", "\n", "Text."]},
        code | {"execution_count": 1, "source": ["1 + 1"], "outputs": outputs},
    ]
    kernel = {"kernelspec": {"name": "k", "display_name": "K", "language": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": kernel, "cells": cells})


@pytest.mark.req("SRC-2")
def test_a_notebook_gives_prose_code_and_short_outputs(readers: Readers, tmp_path: Path) -> None:
    draft = read_file(readers, tmp_path, "a.ipynb", notebook(4))
    assert draft.text == "## Rain\n\nText.\n\n```python\n1 + 1\n```\n\n```\n2\n```"
    assert (draft.title, draft.form) == ("Rain", "markdown")


@pytest.mark.req("SRC-2")
def test_a_notebook_of_an_old_version_is_read_alike(readers: Readers, tmp_path: Path) -> None:
    draft = read_file(readers, tmp_path, "a.ipynb", notebook(3))
    assert draft.text == "## Rain\n\n```python\n1 + 1\n```"


@pytest.mark.req("SRC-3")
def test_readers_can_be_closed_twice_and_used_again(tmp_path: Path) -> None:
    readers = Readers(ReadingSettings())
    for name in ("a.html", "b.html"):
        assert read_file(readers, tmp_path, name, f"<p>{TEXT}</p>").text == TEXT
        readers.close()
        readers.close()
