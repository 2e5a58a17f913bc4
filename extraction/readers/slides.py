"""PPTX to Markdown: slides with titles, texts, tables and notes. Runs in the parsing process."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any, Final, cast

import pptx
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

from extraction.names import one_line
from extraction.readers import properties, tables, zipped
from extraction.readers.limits import gathered
from extraction.readers.markdown import first_heading
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people

_FURNITURE: Final = frozenset(
    {PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER}
)
_MAX_GROUPS: Final = 20


def parse(raw: Raw) -> Parsed:
    """Return the text of a presentation, with title, author and date as its properties tell.

    Raises:
        ReadRefused: it is a zip bomb, encrypted, or there is more text than the limit.
    """
    with zipped.opened(raw.data) as archive:
        zipped.require_plain_xml(archive)
    presentation = pptx.Presentation(BytesIO(raw.data))
    blocks = gathered(_blocks(cast("Iterable[Any]", presentation.slides)), raw.max_characters)
    facts: Any = presentation.core_properties
    return Parsed(
        "\n\n".join(blocks),
        "markdown",
        title=properties.title(facts.title) or first_heading("\n\n".join(blocks[:3])),
        authors=people(facts.author or ""),
        modified_at=properties.first(facts.modified, facts.created),
    )


def _blocks(slides: Iterable[Any]) -> Iterator[str]:
    for number, slide in enumerate(slides, 1):
        title = slide.shapes.title
        named = one_line(title.text_frame.text) if title is not None else ""
        yield f"## {named or f'Slide {number}'}"
        for shape in _flat(slide.shapes, 0):
            if title is None or shape.shape_id != title.shape_id:
                yield _text(shape)
        if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame):
            yield f"Notes: {text}" if (text := notes.text.strip()) else ""


def _flat(shapes: Iterable[Any], depth: int) -> Iterator[Any]:
    for shape in shapes:
        if shape.shape_type != MSO_SHAPE_TYPE.GROUP:
            yield shape
        elif depth < _MAX_GROUPS:
            yield from _flat(shape.shapes, depth + 1)


def _text(shape: Any) -> str:
    if getattr(shape, "has_table", False):
        rows = ([cell.text for cell in row.cells] for row in shape.table.rows)
        return "\n".join(tables.lines(rows)).strip("\n")
    if getattr(shape, "has_chart", False):
        chart = shape.chart
        return chart.chart_title.text_frame.text.strip() if chart.has_title else ""
    if not shape.has_text_frame:
        return ""
    if shape.is_placeholder and shape.placeholder_format.type in _FURNITURE:
        return ""
    texts = [one_line(p.text, 100_000) for p in shape.text_frame.paragraphs]
    said = [text for text in texts if text]
    # One paragraph is prose, several are the points of a slide.
    return said[0] if len(said) == 1 else "\n".join(f"- {text}" for text in said)
