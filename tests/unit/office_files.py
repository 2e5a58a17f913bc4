"""Office files made for the tests, as bytes."""

import zipfile
from datetime import datetime
from io import BytesIO
from typing import Any

import openpyxl
import pptx
from openpyxl.comments import Comment
from pptx.util import Inches

WRITTEN = datetime(2024, 5, 6, 7, 8, 9)
MIME = "application/vnd.oasis.opendocument."
NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "presentation": "presentation",
        "meta": "meta",
        "manifest": "manifest",
    }.items()
) + (' xmlns:dc="http://purl.org/dc/elements/1.1/"')


def zipped(parts: dict[str, str | bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def repacked(data: bytes, name: str, content: bytes) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as old:
        parts: dict[str, str | bytes] = {entry: old.read(entry) for entry in old.namelist()}
    return zipped({**parts, name: content})


def pptx_file() -> bytes:
    deck: Any = pptx.Presentation()
    facts = deck.core_properties
    facts.title, facts.author = "PowerPoint Presentation", "Ada Example"
    facts.modified = WRITTEN
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "The lighthouse"
    first.placeholders[1].text = "Lamp\nStairs"
    first.notes_slide.notes_text_frame.text = "Mention the keeper."
    second = deck.slides.add_slide(deck.slide_layouts[6])
    group = second.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(2), Inches(1)).text_frame.text = "Inside a group"
    table = second.shapes.add_table(2, 2, 0, 0, Inches(2), Inches(1)).table
    for place, text in enumerate(("day", "rain", "Monday", "2 mm")):
        table.cell(place // 2, place % 2).text = text
    out = BytesIO()
    deck.save(out)
    return out.getvalue()


def xlsx_file() -> bytes:
    book = openpyxl.Workbook()
    book.properties.creator = "Ada Example"
    book.properties.title = "Accounts"
    sheet = book.active
    assert sheet is not None
    sheet.title = "Costs | 2026"
    rows = [
        ("Costs of the lighthouse",),
        (),
        ("item", "due", "sum", "paid"),
        ("lamp oil", datetime(2026, 3, 1), 0.1 + 0.2, True),
        ("", "", "", ""),
        ("paint | brush", datetime(2026, 3, 2, 9, 30), 12, False),
        ("total", None, "=SUM(C4:C6)", None),
    ]
    for row in rows:
        sheet.append(row)
    sheet["C6"].comment = Comment("too dear", "Bo")
    book.create_sheet("Empty")
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def odf_file(kind: str, body: str, extra: dict[str, str | bytes] | None = None) -> bytes:
    content = f"<office:document-content {NAMES}><office:body>{body}</office:body>"
    meta = (
        f"<office:document-meta {NAMES}><office:meta><dc:title>Log of the light</dc:title>"
        "<dc:creator>Ada Example</dc:creator><dc:date>2024-05-06T07:08:09.123456789</dc:date>"
        "</office:meta></office:document-meta>"
    )
    return zipped(
        {
            "mimetype": MIME + kind,
            "content.xml": f'<?xml version="1.0" encoding="UTF-8"?>{content}'
            "</office:document-content>",
            "meta.xml": meta,
            **(extra or {}),
        }
    )


ODT = (
    "<office:text><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
    '<text:h text:outline-level="1">The light</text:h>'
    "<text:p>It <text:span>burns</text:span><text:s/>all<text:line-break/>night"
    "<text:note><text:note-body><text:p>or most of it</text:p></text:note-body></text:note>."
    "<office:annotation><dc:creator>Bo</dc:creator><text:p>Really?</text:p></office:annotation>"
    "</text:p><text:list><text:list-item><text:p>oil</text:p><text:list><text:list-item>"
    "<text:p>whale</text:p></text:list-item></text:list></text:list-item></text:list>"
    "<table:table><table:table-row><table:table-cell><text:p>day</text:p></table:table-cell>"
    "<table:table-cell><text:p>rain</text:p></table:table-cell></table:table-row>"
    "<table:table-row><table:table-cell><text:p>Monday</text:p></table:table-cell>"
    "<table:table-cell><text:p>2 mm</text:p></table:table-cell></table:table-row></table:table>"
    "</office:text>"
)

ODS = (
    '<office:spreadsheet><table:table table:name="Costs"><table:table-row><table:table-cell>'
    "<text:p>item</text:p></table:table-cell><table:table-cell/><table:table-cell>"
    "<text:p>sum</text:p></table:table-cell></table:table-row><table:table-row "
    'table:number-rows-repeated="2"><table:table-cell><text:p>oil</text:p></table:table-cell>'
    '<table:table-cell/><table:table-cell office:value="3"><text:p>3.00</text:p>'
    '</table:table-cell><table:table-cell table:number-columns-repeated="16381"/>'
    '</table:table-row><table:table-row table:number-rows-repeated="1048573">'
    '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
    "</office:spreadsheet>"
)

ODP = (
    '<office:presentation><draw:page draw:name="page1"><draw:frame presentation:class="title">'
    "<draw:text-box><text:p>The lighthouse</text:p></draw:text-box></draw:frame><draw:g>"
    "<draw:frame><draw:text-box><text:p>Lamp and stairs</text:p></draw:text-box></draw:frame>"
    "</draw:g><presentation:notes><draw:frame><draw:text-box><text:p>Mention the keeper.</text:p>"
    "</draw:text-box></draw:frame></presentation:notes></draw:page><draw:page/>"
    "</office:presentation>"
)


def epub_file(extra: dict[str, str | bytes] | None = None) -> bytes:
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Keeping a Light</dc:title>'
        "<dc:creator>Ada Example</dc:creator><dc:creator>Bo Example</dc:creator>"
        "<dc:date>1999-02-03</dc:date>"
        '<meta property="dcterms:modified">2024-05-06T07:08:09Z</meta></metadata><manifest>'
        '<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="b" href="text/two%20b.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="a" href="text/one.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="p" href="lamp.png" media-type="image/png"/></manifest>'
        '<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/>'
        '<itemref idref="p"/><itemref idref="gone"/></spine></package>'
    )
    page = (
        '<?xml version="1.0"?><!DOCTYPE html><html><head><title>x</title></head>'
        "<body>{}</body></html>"
    )
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/book.opf": package,
            "OEBPS/nav.xhtml": page.format("<p>contents</p>"),
            "OEBPS/text/one.xhtml": page.format("<h1>Dawn</h1><p>First the lamp goes out.</p>"),
            "OEBPS/text/two b.xhtml": page.format("<h1>Dusk</h1><p>Größe &amp; light.</p>"),
            **(extra or {}),
        }
    )
