"""Jupyter notebooks to Markdown: prose, fenced code, short text outputs. In the parsing process."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, cast

import nbformat

from extraction.readers.decoding import decode
from extraction.readers.markdown import first_heading
from extraction.readers.parsed import Parsed, Raw

_MAX_OUTPUT: Final = 500


def parse(raw: Raw) -> Parsed:
    """Return a notebook of any version as Markdown."""
    notebook = cast(
        "Mapping[str, object]",
        nbformat.reads(decode(raw.data), as_version=4),  # pyright: ignore[reportUnknownMemberType] - partly typed
    )
    language = _language(notebook)
    cells = cast("list[Mapping[str, object]]", notebook["cells"])
    text = "\n\n".join(block for cell in cells for block in _blocks(cell, language))
    return Parsed(text, "markdown", title=first_heading(text))


def _language(notebook: Mapping[str, object]) -> str:
    metadata = cast("Mapping[str, Mapping[str, object]]", notebook.get("metadata", {}))
    named = metadata.get("language_info", {}).get("name")
    named = named or metadata.get("kernelspec", {}).get("language") or "python"
    return re.sub(r"[^\w+#-]", "", str(named))


def _blocks(cell: Mapping[str, object], language: str) -> Iterator[str]:
    source = str(cell.get("source", "")).strip("\n")
    if not source.strip():
        return
    if cell.get("cell_type") != "code":
        yield source
        return
    yield _fenced(source, language)
    for output in cast("list[Mapping[str, object]]", cell.get("outputs", [])):
        shown = _output(output).strip("\n")
        if shown.strip() and len(shown) <= _MAX_OUTPUT:
            yield _fenced(shown, "")


def _output(output: Mapping[str, object]) -> str:
    if output.get("output_type") == "stream":
        return str(output.get("text", ""))
    data = cast("Mapping[str, object]", output.get("data", {}))
    return str(data.get("text/plain", ""))


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
