"""Build the PDF and the DOCX of the corpus from sources/: the same bytes on every run.

Both files are committed, so that the demo needs neither fpdf2 nor its fonts. Run this after an
edit in sources/: `python examples/build.py`. Dates are fixed and nothing is compressed, because
the bytes that a deflate library writes differ between its versions.
"""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Literal
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from docx import Document
from docx.document import Document as DocxDocument
from fpdf import FPDF

HERE = Path(__file__).parent
SIGNED = datetime(2026, 7, 8, 12, 0, tzinfo=UTC)
REPORTED = datetime(2026, 10, 20, 12, 0, tzinfo=UTC)
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)

# What the template of python-docx brings along and this document does not use.
UNUSED_PARTS = (
    "customXml",
    "extended-properties",
    "fontTable",
    "settings",
    "stylesWithEffects",
    "theme",
    "thumbnail",
    "webSettings",
)
USED_STYLES = {
    "DefaultParagraphFont",
    "Heading1",
    "Heading2",
    "ListBullet",
    "ListNumber",
    "Normal",
    "TableGrid",
    "TableNormal",
    "Title",
}

Kind = Literal["title", "heading", "bullet", "number", "table", "paragraph"]


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a source text."""

    kind: Kind
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


MARKS: tuple[tuple[str, Kind], ...] = (
    (r"# ", "title"),
    (r"## ", "heading"),
    (r"- ", "bullet"),
    (r"\d+\. ", "number"),
)


def parse(text: str) -> Iterator[Block]:
    """Yield the blocks of a source text: one a line, a table from its consecutive rows."""
    rows: list[tuple[str, ...]] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
            continue
        if rows:
            yield Block("table", rows=tuple(rows))
            rows = []
        if line:
            yield parse_line(line)


def parse_line(line: str) -> Block:
    """Read one line that is no row of a table."""
    for mark, kind in MARKS:
        if match := re.match(mark, line):
            return Block(kind, line if kind == "number" else line[match.end() :])
    return Block("paragraph", line)


def build_pdf(source: Path) -> bytes:
    """Set the text as a PDF, with the core fonts, so that no font travels in the file."""
    pdf = FPDF(format="A4")
    pdf.set_compression(False)
    pdf.set_creation_date(SIGNED)
    pdf.set_producer("Garage, examples/build.py")
    pdf.set_author("Hedda Brinkmann")
    pdf.set_lang("en")
    pdf.add_page()
    for block in parse(source.read_text(encoding="utf-8")):
        write_pdf_block(pdf, block)
    return bytes(pdf.output())


PDF_FACES: dict[Kind, tuple[str, int, str]] = {
    "title": ("B", 18, ""),
    "heading": ("B", 13, ""),
    "bullet": ("", 11, "- "),
    "number": ("", 11, ""),
    "paragraph": ("", 11, ""),
}


def write_pdf_block(pdf: FPDF, block: Block) -> None:
    """Add one block at the end of the PDF."""
    if block.kind == "table":
        pdf.set_font("Helvetica", size=11)
        with pdf.table(width=110, align="LEFT", text_align=("LEFT", "RIGHT")) as table:
            for row in block.rows:
                table.row(row)
        pdf.ln(3)
        return
    style, size, lead = PDF_FACES[block.kind]
    if block.kind == "title":
        pdf.set_title(block.text)
    pdf.set_font("Helvetica", style=style, size=size)
    pdf.multi_cell(0, size * 0.5, lead + block.text, new_x="LMARGIN", new_y="NEXT")
    pdf.ln(2)


def build_docx(source: Path) -> bytes:
    """Set the text as a DOCX that holds only the parts and styles that it uses."""
    document = Document()
    blocks = list(parse(source.read_text(encoding="utf-8")))
    for block in blocks:
        write_docx_block(document, block)
    prune(document)
    properties = document.core_properties
    properties.title = blocks[0].text
    properties.author = properties.last_modified_by = "Mara Lindqvist"
    properties.comments = properties.keywords = ""
    properties.created = properties.modified = REPORTED.replace(tzinfo=None)
    raw = BytesIO()
    document.save(raw)
    return repack(raw)


DOCX_STYLES: dict[Kind, str] = {
    "title": "Title",
    "heading": "Heading 1",
    "bullet": "List Bullet",
    "number": "List Number",
    "paragraph": "Normal",
}


def write_docx_block(document: DocxDocument, block: Block) -> None:
    """Add one block at the end of the document."""
    if block.kind != "table":
        text = re.sub(r"^\d+\. ", "", block.text) if block.kind == "number" else block.text
        document.add_paragraph(text, style=DOCX_STYLES[block.kind])
        return
    table = document.add_table(rows=0, cols=len(block.rows[0]), style="Table Grid")
    for row in block.rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text


def prune(document: DocxDocument) -> None:
    """Drop the parts and styles of the template that the document does not use."""
    for rels in (document.part.package.rels, document.part.rels):
        for key in [k for k, rel in rels.items() if rel.reltype.rpartition("/")[2] in UNUSED_PARTS]:
            del rels[key]
    styles = document.styles.element
    for element in list(styles):
        tag = element.tag.rpartition("}")[2]
        named = next((v for k, v in element.attrib.items() if k.endswith("}styleId")), None)
        if tag == "latentStyles" or (tag == "style" and named not in USED_STYLES):
            styles.remove(element)


def repack(raw: BytesIO) -> bytes:
    """Write a zip again: names sorted, dates fixed, stored instead of deflated."""
    packed = BytesIO()
    with ZipFile(raw) as old, ZipFile(packed, "w", ZIP_STORED) as new:
        # [Content_Types].xml comes first by the convention, and by its bracket.
        for name in sorted(old.namelist()):
            info = ZipInfo(name, date_time=ZIP_EPOCH)
            info.create_system = 3
            new.writestr(info, old.read(name))
    return packed.getvalue()


BUILDS: dict[str, tuple[str, Callable[[Path], bytes]]] = {
    "rental-contract-rostock.pdf": ("rental-contract-rostock.txt", build_pdf),
    "pegelbuch-report.docx": ("pegelbuch-report.txt", build_docx),
}


def build(target: Path) -> list[Path]:
    """Write every built file into the folder `target`, and return their paths."""
    target.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, (source, make) in BUILDS.items():
        path = target / name
        path.write_bytes(make(HERE / "sources" / source))
        written.append(path)
    return written


if __name__ == "__main__":
    for built in build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "notes"):
        print(built)
