"""XML: parsed without entities, document types and connections. Runs in the parsing process."""

import importlib
from typing import Any, Final

# Imported by name: lxml has no types, and its elements are `Any` here.
_ETREE: Final[Any] = importlib.import_module("lxml.etree")


def parsed(data: bytes) -> Any:
    """Return the root element of a document. Entities stay unexpanded, nothing else is loaded.

    Raises:
        XMLSyntaxError: it is not well-formed, or nested more than 256 levels deep.
    """
    parser = _ETREE.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True
    )
    return _ETREE.fromstring(data, parser)
