"""Tables, records and LaTeX: written so that a person finds what is in them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.records import Author
from tests.unit.reading import read_file


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    with Readers(ReadingSettings()) as opened:
        yield opened


TABLE = "| day | rain |\n| --- | --- |\n| Monday | 2,5 mm |\n| Tuesday | a \\| b |"


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", 'day,rain\nMonday,"2,5 mm"\nTuesday,a | b\n'),
        ("a.csv", "day;rain\nMonday;2,5 mm\nTuesday;a | b\n"),
        ("a.csv", "\ufeffday\train\r\nMonday\t2,5 mm\r\n\r\nTuesday\ta | b\r\n"),
        ("a.tsv", "day\train\nMonday\t2,5 mm\nTuesday\ta | b\n"),
        ("a.csv", 'day,rain\nMonday,"2,5\nmm"\nTuesday,"a | b'),
    ],
    ids=["comma", "semicolon", "tab in csv", "tsv", "line feed in a cell, open quote"],
)
def test_rows_become_a_table_whatever_separates_their_cells(
    readers: Readers, tmp_path: Path, name: str, data: str
) -> None:
    draft = read_file(readers, tmp_path, name, data)
    assert (draft.text, draft.form, draft.title) == (TABLE, "markdown", "a")
    assert draft.corpus_class == "document"


@pytest.mark.req("SRC-2")
def test_rows_of_one_cell_stay_as_they_are(readers: Readers, tmp_path: Path) -> None:
    draft = read_file(readers, tmp_path, "a.csv", "Monday\nTuesday\n")
    assert (draft.text, draft.form) == ("Monday\nTuesday\n", "text")


@pytest.mark.req("SRC-2")
@pytest.mark.campaign("C09")
@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", '"' * 50_001),
        ("a.csv", ',"' * 25_000),
        ("a.csv", "x," * 500_000),
        ("a.csv", "x" * 300_000 + ",y\n"),
        ("a.tex", "\\section{" * 6_000),
        ("a.tex", "\\title{" + "{" * 50_000),
        ("a.tex", "\\begin{verbatim}" * 3_000),
        ("a.tex", "$" * 50_001),
        ("a.tex", "%" * 25_000 + "\\section{x}" * 2_000),
        ("a.rtf", "{\\rtf1" + "{\\title " * 6_000),
        ("a.rtf", "{\\rtf1" + "{\\field{\\*\\fldinst{ HYPERLINK " * 200),
        ("a.json", "[" * 50_000),
        ("a.json", '{"a":' * 9_000),
        ("a.json", "1" * 50_000),
        ("a.jsonl", '{"a":' * 9_000),
        ("a.md", "---\n" + "a: [" * 4_000 + "\n---\nText."),
        ("a.md", "+++\n" + "a.b." * 4_000 + "c = 1\n+++\nText."),
        ("a.md", "| --- " * 9_000),
        ("a.html", "<" * 50_000),
        ("a.html", "<table><tr><td>" * 3_000),
    ],
)
def test_hostile_text_is_read_or_refused_in_bounded_time(
    tmp_path: Path, name: str, data: str
) -> None:
    # The time limit of the parsing process is the assertion: it would be the outcome.
    with Readers(ReadingSettings(parse_timeout_s=20)) as readers:
        try:
            assert read_file(readers, tmp_path, name, data + "\nEnd of the file.").text
        except Exception as refused:
            assert "parse_timeout_s" not in str(refused)
            assert "died" not in str(refused)


@pytest.mark.req("SRC-2")
def test_json_on_one_line_or_with_escaped_letters_is_written_to_be_read(
    readers: Readers, tmp_path: Path
) -> None:
    value = {"title": "Süden", "words": ["Grüße " * 60] * 9}
    draft = read_file(readers, tmp_path, "a.json", json.dumps(value))
    assert draft.title == "Süden"
    assert draft.text == json.dumps(value, ensure_ascii=False, indent=1)
    assert (draft.form, draft.corpus_class, draft.language) == ("code", "code", "json")
    assert draft.mime == "application/json"


@pytest.mark.req("SRC-2")
@pytest.mark.parametrize("text", ['{\n    "a": [1, 2]\n}\n', '{"a": 1, // why\n}', '{"a": "broken'])
def test_json_that_is_legible_or_none_stays_as_it_is(
    readers: Readers, tmp_path: Path, text: str
) -> None:
    draft = read_file(readers, tmp_path, "conf/a.json", text)
    assert (draft.text, draft.title) == (text, "conf/a.json")


@pytest.mark.req("SRC-2")
def test_records_of_json_lines_are_prose_with_their_letters(
    readers: Readers, tmp_path: Path
) -> None:
    said = "Der Leuchtturm war gestern dunkel, sagte die Wärterin beim Frühstück."
    lines = [json.dumps({"who": "Bo", "said": said}), "no json", json.dumps({"long": "x " * 400})]
    draft = read_file(readers, tmp_path, "a.jsonl", "\n".join(lines) + "\n")
    assert f'{{"who": "Bo", "said": "{said}"}}\nno json\n{{\n "long"' in draft.text
    assert (draft.form, draft.language, draft.corpus_class) == ("text", "de", "document")


TEX = r"""\documentclass{article}
\title{On \emph{Lights}\thanks{to all}}
\author{Ada Example\\ Somewhere \and Bo Example}
\date{May 6, 2024}
\begin{document}
\maketitle
\section{The \"Ubung \label{sec:one}}
It burns~\cite{keeper99} all night\footnote{Or most.}, $x^2$. % not this
% \section{Nor this}
\subsection*{Oil}
\begin{itemize}\item whale \item rape\end{itemize}
\begin{tabular}{ll} day & rain \\ Monday & 2 \\ \end{tabular}
\begin{lstlisting}
int lamp = {1; % kept
\end{lstlisting}
\input{/etc/hostname}
\begin{comment} never \end{comment}
\end{document}
after the end
"""


@pytest.mark.req("SRC-2")
def test_latex_gives_its_words_under_headings_and_its_listings(
    readers: Readers, tmp_path: Path
) -> None:
    draft = read_file(readers, tmp_path, "a.tex", TEX)
    assert (draft.title, draft.form) == ("On Lights", "markdown")
    assert draft.authors == (Author("Ada Example"), Author("Bo Example"))
    assert draft.mtime == datetime(2024, 5, 6, tzinfo=UTC)
    assert draft.text.startswith("## The Übung\n\nIt burns [keeper99] all night[Or most.], $x^2$.")
    assert "### Oil\n\n" in draft.text
    assert "```\nint lamp = {1; % kept\n```" in draft.text
    assert "Monday | 2" in " ".join(draft.text.split())
    for word in ("not this", "Nor this", "maketitle", "never", "after the end", "document"):
        assert word not in draft.text


@pytest.mark.req("SRC-2")
def test_a_part_of_latex_without_a_preamble_is_read_and_a_broken_one_kept(
    readers: Readers, tmp_path: Path
) -> None:
    draft = read_file(readers, tmp_path, "a.tex", "\\chapter{Dawn}\nThe {lamp goes \\textbf out.")
    assert (draft.title, draft.text.split("\n")[0]) == ("Dawn", "# Dawn")
    assert "lamp goes" in draft.text
