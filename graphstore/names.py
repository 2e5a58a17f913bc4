"""Names: how a person's name becomes the key that alike spellings share."""

import unicodedata
from typing import Final

MAX_NAME: Final = 300


def normalised(name: str) -> str:
    """Return the key of a name: NFC, casefolded, spaces collapsed; letters of any script kept."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return " ".join(folded.split())[:MAX_NAME]
