"""HTML to Markdown: what a reader sees, without scripts, styles and navigation."""

import re
from typing import Final

from bs4 import BeautifulSoup, Tag
from bs4.dammit import EncodingDetector
from markdownify import MarkdownConverter

from extraction.names import one_line
from extraction.readers.decoding import decode
from extraction.readers.markdown import first_heading
from extraction.readers.parsed import Parsed, Raw
from extraction.readers.people import people

_DROPPED: Final = (
    *("script", "style", "noscript", "template", "nav", "iframe", "object", "embed", "svg"),
    *("form", "button", "input", "select", "head"),
)
_BLANK_LINES: Final = re.compile(r"\n(?:[ \t]*\n){2,}")


def parse(raw: Raw) -> Parsed:
    """Return a page as Markdown, with its title and author."""
    declared = EncodingDetector.find_declared_encoding(raw.data, is_html=True)
    soup = BeautifulSoup(decode(raw.data, declared), "lxml")
    title = soup.title.get_text() if soup.title else ""
    author = _meta(soup, "author")
    text = _markdown(soup)
    return Parsed(
        text, "markdown", title=one_line(title) or first_heading(text), authors=people(author)
    )


def to_markdown(html: str) -> str:
    """Return HTML as Markdown."""
    return _markdown(BeautifulSoup(html, "lxml"))


def _markdown(soup: BeautifulSoup) -> str:
    for tag in soup.find_all(_DROPPED):
        tag.decompose()
    for image in soup.find_all("img"):
        image.replace_with(str(image.get("alt") or ""))  # an address of a picture says nothing
    converter = MarkdownConverter(heading_style="ATX", bullets="-")
    try:
        text = converter.convert_soup(soup)
    except RecursionError:
        text = soup.get_text("\n")  # nested too deeply for structure, not for its words
    return _BLANK_LINES.sub("\n\n", text).strip()


def _meta(soup: BeautifulSoup, name: str) -> str:
    found = soup.find("meta", attrs={"name": re.compile(f"^{name}$", re.IGNORECASE)})
    return str(found.get("content") or "") if isinstance(found, Tag) else ""
