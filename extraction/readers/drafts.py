"""Drafts: from what a parser found to a document, with its class, trust, authors and language.

Pure. Blank text and noise are refused here, for every format alike.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from extraction.classes import KEY_FILE, Format, class_of, mime_of, trust_of
from extraction.errors import ReadRefused
from extraction.language import prose_language
from extraction.names import one_line, readable_stem
from extraction.quality import defect_of
from extraction.readers.decoding import normal
from extraction.readers.limits import too_much
from extraction.readers.parsed import Parsed
from extraction.settings import ReadingSettings
from graphstore.records import Author, Draft, Mail, Source

_PRIVATE_KEY: Final = re.compile(r"\s*-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_WRITTEN_BY_HAND: Final[frozenset[Format]] = frozenset({"markdown", "tex"})
"""Formats whose date a person wrote: it may well lie ahead. Those of programs may not."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a document comes from: what its text does not say."""

    source: Source
    uri: str
    path: str
    """The file within its source."""
    name: str
    """What the title is made of when the document states none."""
    format: Format
    size: int
    mtime: datetime
    authors: tuple[Author, ...] = ()
    """From Git: they count when the document itself names none."""
    mail: Mail | None = None
    attached_to: Draft | None = None


def build(parsed: Parsed, origin: Origin, settings: ReadingSettings) -> Draft:
    """Return the document.

    Raises:
        ReadRefused: it is blank, too long, or noise.
    """
    text = _checked(normal(parsed.text), parsed, settings)
    authors = marked(parsed.authors or origin.authors, settings)
    message = origin.attached_to
    is_mail = message is not None or origin.mail is not None
    found = "communication" if is_mail else parsed.corpus_class
    own = bool(authors) and authors[0].is_self
    trust = trust_of(is_own=own, is_mail=is_mail, default=origin.source.default_trust)
    return Draft(
        uri=origin.uri,
        path=origin.path,
        title=one_line(normal(parsed.title)) or one_line(readable_stem(origin.name)),
        text=text,
        form=parsed.form,
        mime=mime_of(origin.format, parsed.language),
        language=parsed.language or prose_language(text),
        corpus_class=class_of(found, origin.source.default_class),
        # An attachment says nothing about its sender that the message does not.
        trust=message.trust if message else trust,
        content_sha256=hashlib.sha256(text.encode()).hexdigest(),
        bytes=origin.size,
        mtime=_changed(parsed, origin),
        authors=authors,
        mail=origin.mail,
        attachment_of=message.uri if message else None,
    )


def marked(authors: Iterable[Author], settings: ReadingSettings) -> tuple[Author, ...]:
    """Return authors, each once, with the owner marked.

    A name marks the owner only where no address is stated: anyone may write under a name.
    """
    identities = {address.casefold().removeprefix("email:") for address in settings.self_identities}
    names = {name.casefold() for name in settings.self_names}

    def is_self(author: Author) -> bool:
        if author.identity is None:
            return author.name.casefold() in names
        return author.identity.removeprefix("email:") in identities

    return tuple(dict.fromkeys(replace(a, is_self=is_self(a)) for a in authors))


def sane_date(sent_at: datetime | None, mtime: datetime) -> datetime:
    """Return when a message was sent; the file's mtime when its date is absurd.

    A message cannot be younger than its file, save for a day of wrong clocks.
    """
    if sent_at is None or sent_at < datetime(1975, 1, 1, tzinfo=UTC):
        return mtime
    return mtime if sent_at > mtime + timedelta(days=1) else sent_at


def _changed(parsed: Parsed, origin: Origin) -> datetime:
    if origin.format in _WRITTEN_BY_HAND:
        return parsed.modified_at or origin.mtime
    return sane_date(parsed.modified_at, origin.mtime)


def _checked(text: str, parsed: Parsed, settings: ReadingSettings) -> str:
    if not text.strip():
        raise ReadRefused("skipped", "empty")
    if _PRIVATE_KEY.match(text):
        raise ReadRefused("skipped", KEY_FILE)
    if len(text) > settings.max_text_characters:
        raise too_much(len(text), settings.max_text_characters)
    if defect := defect_of(text, parsed.form):
        raise ReadRefused("skipped", defect)
    return text
