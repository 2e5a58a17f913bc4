"""People: authors as documents and messages state them."""

import re
from typing import Final

from extraction.names import one_line
from graphstore.records import Author

_ADDRESS: Final = re.compile(r"[^\s<>()\"',;:@]{1,64}@[^\s<>()\"',;:@]{1,255}")
_MAX_AUTHORS: Final = 50
_MAX_CHARACTERS: Final = 2_000


def person(name: str, address: str = "") -> Author | None:
    """Return an author from a name and an e-mail address, either of which may be empty."""
    email = one_line(address).casefold()
    shown = one_line(name).strip("\"'<> ")
    if not _ADDRESS.fullmatch(email):
        email = ""
    return Author(shown or email, f"email:{email}" if email else None) if shown or email else None


def people(stated: str) -> tuple[Author, ...]:
    """Return the authors in a line as `Ada Example <ada@example.org>; Bo Example`."""
    found: list[Author] = []
    for part in re.split(r"[;\n]", stated[:_MAX_CHARACTERS])[:_MAX_AUTHORS]:
        address = _ADDRESS.search(part)
        name = part.replace(address[0], "") if address else part
        if author := person(name, address[0] if address else ""):
            found.append(author)
    return tuple(dict.fromkeys(found))
