"""Slides, sheets, OpenDocument, books and RTF: what a person would search for is in the text."""

import os
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import docx
import odfdo
import pytest

from extraction.errors import ReadRefused
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.records import Author
from tests.unit import office_files
from tests.unit.office_files import odf_file, repacked, zipped
from tests.unit.reading import read_file, source_at, units_of

WRITTEN = office_files.WRITTEN.replace(tzinfo=UTC)


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with Readers(ReadingSettings()) as opened:
        yield opened


@pytest.mark.req("SRC-2")
def test_a_presentation_gives_titles_points_tables_groups_and_notes(
    readers: Readers, tmp_path: Path
) -> None:
    draft = read_file(readers, tmp_path, "a.pptx", office_files.pptx_file())
    assert draft.text == (
        "## The lighthouse\n\n- Lamp\n- Stairs\n\nNotes: Mention the keeper.\n\n"
        "## Slide 2\n\nInside a group\n\n| day | rain |\n| --- | --- |\n| Monday | 2 mm |"
    )
    # What the program called it is no title.
    assert (draft.title, draft.authors) == ("The lighthouse", (Author("Ada Example"),))
    assert (draft.mtime, draft.form) == (WRITTEN, "markdown")


@pytest.mark.req("SRC-2")
def test_a_workbook_gives_its_sheets_as_tables_with_values_as_a_person_writes_them(
    readers: Readers, tmp_path: Path
) -> None:
    draft = read_file(readers, tmp_path, "a.xlsx", office_files.xlsx_file())
    assert draft.text == (
        "## Costs | 2026\n\nCosts of the lighthouse\n\n| item | due | sum | paid |\n"
        "| --- | --- | --- | --- |\n| lamp oil | 2026-03-01 | 0.3 | TRUE |\n"
        "| paint \\| brush | 2026-03-02 09:30 | 12 | FALSE |\n| total |\n\n"
        "## Empty\n\n## Comments\n\n- C6: too dear"
    )
    assert (draft.title, draft.authors) == ("Accounts", (Author("Ada Example"),))


@pytest.mark.req("SRC-2")
def test_a_text_of_opendocument_gives_headings_lists_tables_notes_and_remarks(
    readers: Readers, tmp_path: Path
) -> None:
    draft = read_file(readers, tmp_path, "a.odt", odf_file("text", office_files.ODT))
    assert draft.text == (
        "# The light\n\nIt burns all\nnight [or most of it].\n\n> Bo: Really?\n\n"
        "- oil\n  - whale\n\n| day | rain |\n| --- | --- |\n| Monday | 2 mm |"
    )
    assert (draft.title, draft.authors) == ("Log of the light", (Author("Ada Example"),))
    assert draft.mtime.replace(microsecond=0) == WRITTEN


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C01")
def test_a_sheet_of_opendocument_writes_its_millions_of_blank_cells_not_at_all(
    readers: Readers, tmp_path: Path
) -> None:
    draft = read_file(readers, tmp_path, "a.ods", odf_file("spreadsheet", office_files.ODS))
    assert draft.text == (
        "## Costs\n\n| item |  | sum |\n| --- | --- | --- |\n| oil |  | 3.00 |\n| oil |  | 3.00 |"
    )


@pytest.mark.req("SRC-2")
def test_slides_of_opendocument_give_titles_texts_and_notes(
    readers: Readers, tmp_path: Path
) -> None:
    draft = read_file(readers, tmp_path, "a.odp", odf_file("presentation", office_files.ODP))
    assert draft.text == (
        "## The lighthouse\n\nLamp and stairs\n\nNotes: Mention the keeper.\n\n## Slide 2"
    )


@pytest.mark.req("SRC-2")
def test_what_another_library_writes_as_opendocument_is_read(
    readers: Readers, tmp_path: Path
) -> None:
    document = odfdo.Document("text")
    document.body.clear()
    document.body.append(odfdo.Header(1, "The light"))
    document.body.append(odfdo.Paragraph("It burns\tall night."))
    out = BytesIO()
    document.save(out)
    assert (
        read_file(readers, tmp_path, "a.odt", out.getvalue()).text
        == "# The light\n\nIt burns\tall night."
    )


@pytest.mark.req("SRC-2")
def test_a_book_gives_its_chapters_in_reading_order(readers: Readers, tmp_path: Path) -> None:
    draft = read_file(readers, tmp_path, "a.epub", office_files.epub_file())
    assert draft.text == "# Dawn\n\nFirst the lamp goes out.\n\n# Dusk\n\nGröße & light."
    assert draft.title == "Keeping a Light"
    assert draft.authors == (Author("Ada Example"), Author("Bo Example"))
    assert draft.mtime == WRITTEN


RTF = (
    rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title Log of the light}"
    rb"{\author Ada Example}{\creatim\yr2024\mo5\dy6\hr7\min8}}"
    rb"\f0 It burns all night.\par Gr\'f6\'dfe\emdash\u8364? {\b bold}\par }"
)


@pytest.mark.req("SRC-2")
def test_rich_text_gives_words_title_author_and_date(readers: Readers, tmp_path: Path) -> None:
    draft = read_file(readers, tmp_path, "a.rtf", RTF)
    assert draft.text == "It burns all night.\nGröße—€ bold"
    assert (draft.title, draft.authors) == ("Log of the light", (Author("Ada Example"),))
    assert draft.mtime == datetime(2024, 5, 6, 7, 8, tzinfo=UTC)


@pytest.mark.req("SRC-2")
def test_a_date_of_properties_that_is_later_than_the_file_is_not_believed(
    readers: Readers, tmp_path: Path
) -> None:
    file = tmp_path / "a.pptx"
    file.write_bytes(office_files.pptx_file())
    os.utime(file, (1_600_000_000, 1_600_000_000))  # in 2020; its properties say 2024
    data = file.read_bytes()
    draft = read_file(readers, tmp_path / "b", "a.pptx", data)
    assert draft.mtime == WRITTEN
    drafts = {d.path: d for unit in units_of(readers, source_at(tmp_path)) for d in unit}
    assert drafts["a.pptx"].mtime == datetime.fromtimestamp(1_600_000_000, UTC)


def entity_bomb(element: str) -> bytes:
    declared = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    return f'<!DOCTYPE d [<!ENTITY e0 "boom">{declared}]><{element}>&e11;</{element}>'.encode()


HIDDEN = (
    b'<?xml version="1.0" encoding="utf-7"?>+ADwAIQ-DOCTYPE d [+ADwAIQ-ENTITY e "boom"+AD4-]>'
    b"<d>&e;</d>"
)


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C05")
@pytest.mark.parametrize("hostile", [entity_bomb("d"), HIDDEN, b"<!-- <a> -->" + entity_bomb("d")])
@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("a.xlsx", "xl/sharedStrings.xml"),
        ("a.xlsx", "xl/worksheets/sheet1.xml"),
        ("a.pptx", "ppt/slides/slide1.xml"),
        ("a.odt", "content.xml"),
        ("a.ods", "meta.xml"),
    ],
)
def test_entities_in_a_part_of_xml_are_refused_before_a_library_sees_them(
    readers: Readers, tmp_path: Path, name: str, part: str, hostile: bytes
) -> None:
    made = {
        "a.xlsx": office_files.xlsx_file(),
        "a.pptx": office_files.pptx_file(),
        "a.odt": odf_file("text", office_files.ODT),
        "a.ods": odf_file("spreadsheet", office_files.ODS),
    }
    with pytest.raises(ReadRefused, match="declares entities"):
        read_file(readers, tmp_path, name, repacked(made[name], part, hostile))
    utf16 = hostile.decode("latin-1").encode("utf-16")
    with pytest.raises(ReadRefused, match="declares entities"):
        read_file(readers, tmp_path, name, repacked(made[name], part, utf16))


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C05")
def test_a_book_neither_expands_entities_nor_reads_files(readers: Readers, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret of the lighthouse")
    head = (
        f'<!DOCTYPE html [<!ENTITY e0 "boom"><!ENTITY f SYSTEM "{(tmp_path / "secret").as_uri()}">'
        + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
        + "]>"
    )
    page = f"<?xml version='1.0'?>{head}<html><body><p>kept &f; &e11;</p></body></html>"
    data = office_files.epub_file({"OEBPS/text/one.xhtml": page})
    text = read_file(readers, tmp_path / "books", "a.epub", data).text
    assert "kept" in text
    assert "secret" not in text
    assert "boom" not in text


def many_entries() -> bytes:
    return zipped({f"word/{number}": b"" for number in range(10_001)})


def huge() -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for number in range(9):
            archive.writestr(f"word/{number}", b"x")
    # Each entry claims 64 MiB in the directory.
    data = bytearray(out.getvalue())
    place = data.find(b"PK\x01\x02")
    while place >= 0:
        data[place + 24 : place + 28] = (64 * 1024 * 1024).to_bytes(4, "little")
        data[place + 20 : place + 24] = (1024 * 1024).to_bytes(4, "little")
        place = data.find(b"PK\x01\x02", place + 4)
    return bytes(data)


def false_size() -> bytes:
    data = bytearray(zipped({"content.xml": b"<a/>" + b" " * 3_000_000}))
    place = data.find(b"PK\x01\x02")
    data[place + 24 : place + 28] = (10).to_bytes(4, "little")
    local = data.find(b"PK\x03\x04")
    data[local + 22 : local + 26] = (10).to_bytes(4, "little")
    return bytes(data)


def locked_entry() -> bytes:
    data = bytearray(zipped({"content.xml": "<a/>"}))
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.find(mark) + offset] |= 1
    return bytes(data)


def nested() -> bytes:
    inner = zipped({"zeros": b"\0" * 3_000_000})
    return repacked(office_files.xlsx_file(), "xl/embeddings/inner.zip", inner)


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C01")
@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.odt", "a.epub"])
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (many_entries(), "10,001 entries, over 10,000"),
        (huge(), "576 MiB unpacked, over 512 MiB"),
        (zipped({"word/x": b"\0" * (8 * 1024 * 1024)}), r"unpacks to .* times its size, over 100"),
        (false_size(), "damaged"),
        (locked_entry(), "encrypted"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old binary format"),
        (office_files.xlsx_file()[:900], "damaged"),
        (b"PK\x03\x04", "damaged"),
    ],
    ids=["entries", "size", "ratio", "false size", "entry", "locked", "old", "truncated", "stub"],
)
def test_a_zip_that_means_harm_or_is_broken_says_why_with_the_numbers(
    readers: Readers, tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    with pytest.raises(ReadRefused, match=reason) as refused:
        read_file(readers, tmp_path, name, data)
    assert refused.value.state == "failed"


def sheet_of(*rows: tuple[int, str]) -> bytes:
    cells = "".join(
        f'<row r="{number}"><c r="A{number}" t="inlineStr"><is><t>{text}</t></is></c></row>'
        for number, text in rows
    )
    names = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    size = '<dimension ref="A1:XFD1048576"/>'
    sheet = f'<worksheet xmlns="{names}">{size}<sheetData>{cells}</sheetData></worksheet>'
    return repacked(office_files.xlsx_file(), "xl/worksheets/sheet1.xml", sheet.encode())


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C01")
def test_a_sheet_that_claims_more_rows_than_there_can_be_is_read_as_far_as_they_go(
    readers: Readers, tmp_path: Path
) -> None:
    data = sheet_of((1, "first"), (1_048_576, "last"), (999_999_999, "beyond"))
    text = read_file(readers, tmp_path, "a.xlsx", data).text
    assert "first\n\nlast\n" in text
    assert "beyond" not in text


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C01")
def test_a_zip_within_a_zip_is_not_opened(readers: Readers, tmp_path: Path) -> None:
    assert "lamp oil" in read_file(readers, tmp_path, "a.xlsx", nested()).text


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C02")
def test_names_of_entries_that_lead_elsewhere_are_never_followed(
    readers: Readers, tmp_path: Path
) -> None:
    names = ("../../out.xhtml", "/out.xhtml", "C:\\out.xhtml", "OEBPS/text/one.xhtml/")
    data = office_files.epub_file(dict.fromkeys(names, "<p>elsewhere</p>"))
    package = "OEBPS/book.opf"
    with zipfile.ZipFile(BytesIO(data)) as archive:
        opf = archive.read(package).decode()
    data = repacked(data, package, opf.replace("text/one.xhtml", "../../../out.xhtml").encode())
    root = tmp_path / "books"
    draft = read_file(readers, root, "a.epub", data)
    assert "Dusk" in draft.text
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.epub", "books"]


@pytest.mark.req("SRC-3")
@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        (
            "a.odt",
            odf_file(
                "text",
                office_files.ODT,
                {
                    "META-INF/manifest.xml": f"<manifest:manifest {office_files.NAMES}>"
                    "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
                    "</manifest:manifest>"
                },
            ),
            "encrypted",
        ),
        (
            "a.epub",
            office_files.epub_file(
                {
                    "META-INF/encryption.xml": "<encryption><CipherReference "
                    'URI="OEBPS/text/one.xhtml"/></encryption>'
                }
            ),
            "protected",
        ),
        ("a.odt", odf_file("text", "<office:text/>" + "<text:p>" * 9), "damaged"),
        ("a.odt", odf_file("text", "<text:p>" * 5_000 + "</text:p>" * 5_000), "damaged"),
        ("a.epub", zipped({"META-INF/container.xml": "<container/>"}), "damaged"),
        ("a.rtf", b"no rich text", "no RTF"),
    ],
    ids=["locked odt", "locked epub", "broken xml", "deep xml", "no package", "no rtf"],
)
def test_an_office_file_that_cannot_be_read_says_why(
    readers: Readers, tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    with pytest.raises(ReadRefused, match=reason) as refused:
        read_file(readers, tmp_path, name, data)
    assert refused.value.state == "failed"


@pytest.mark.req("SRC-2")
def test_a_book_whose_fonts_alone_are_encrypted_is_read(readers: Readers, tmp_path: Path) -> None:
    locked = '<encryption><CipherReference URI="OEBPS/fonts/a.otf"/></encryption>'
    data = office_files.epub_file({"META-INF/encryption.xml": locked})
    assert "Dawn" in read_file(readers, tmp_path, "a.epub", data).text


@pytest.mark.req("SRC-3")
@pytest.mark.campaign("C07")
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", None),
        ("a.pptx", office_files.pptx_file()),
        ("a.xlsx", office_files.xlsx_file()),
        ("a.odt", odf_file("text", office_files.ODT)),
        ("a.epub", office_files.epub_file()),
        ("a.rtf", RTF),
        ("a.csv", b"a,b\n" * 20),
        ("a.json", b'{"a": "' + b"x" * 90 + b'"}'),
        ("a.tex", b"word " * 20),
        ("a.md", b"word " * 20),
    ],
)
def test_more_text_than_the_limit_says_how_much_there_is(
    tmp_path: Path, name: str, data: bytes | None
) -> None:
    if data is None:
        document, out = docx.Document(), BytesIO()
        document.add_paragraph("word " * 20)
        document.save(out)
        data = out.getvalue()
    with (
        Readers(ReadingSettings(max_text_characters=20)) as readers,
        pytest.raises(
            ReadRefused, match=r"\d+ characters of text, over max_text_characters \(20\)"
        ),
    ):
        read_file(readers, tmp_path, name, data)
