"""CSV and TSV to Markdown tables: what a row says stands under what its column is called.

Runs in the parsing process: how a file separates its cells is guessed, and a guess can be slow.
"""

import csv
import io
import itertools
from collections import Counter
from typing import Final

from extraction.readers import tables
from extraction.readers.decoding import decode
from extraction.readers.limits import bounded
from extraction.readers.parsed import Parsed, Raw

_DELIMITERS: Final = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS: Final = 64 * 1024
_SAMPLE_ROWS: Final = 50


def parse(raw: Raw) -> Parsed:
    """Return a file's rows as a table; as they are when there is only one column."""
    text = decode(raw.data)
    csv.field_size_limit(max(raw.max_characters, 1))
    delimiter = "\t" if raw.path.lower().endswith((".tsv", ".tab")) else _delimiter(text)
    if not delimiter:
        return Parsed(text, "text")
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    # A blank line is an accident here: a file is one table.
    lines = bounded(tables.lines(filter(any, rows)), raw.max_characters)
    return Parsed("\n".join(lines).strip("\n"), "markdown")


def _delimiter(text: str) -> str:
    """Return the sign that cuts most rows into the same number of cells, at least two."""
    # The last line of the sample may be cut in the middle.
    sample = text[:_SAMPLE_CHARACTERS]
    sample = sample.rpartition("\n")[0] or sample if len(text) > len(sample) else sample
    best, found = (0.5, 0), ""
    for sign in _DELIMITERS:
        rows = list(itertools.islice(csv.reader(io.StringIO(sample), delimiter=sign), _SAMPLE_ROWS))
        widths = Counter(len(row) for row in rows if row)
        width, times = widths.most_common(1)[0] if widths else (1, 0)
        score = (times / max(sum(widths.values()), 1), width)
        if width > 1 and score > best:
            best, found = score, sign
    return found
