"""Readers: from a loaded file to documents. A bad file is refused; it never stops a run."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Final, cast

from extraction import memory_files
from extraction.candidates import Candidate, Loaded
from extraction.classes import Format, format_of, why_unread
from extraction.errors import ReadRefused
from extraction.gitlog import Written
from extraction.names import part_name, uri_of
from extraction.readers import code, drafts, markdown, mbox, text
from extraction.readers.drafts import Origin
from extraction.readers.isolation import Isolation
from extraction.readers.parsed import Attachment, Message, Parsed, Raw
from extraction.settings import ReadingSettings
from graphstore.records import Draft, Mail, Source

__all__ = ["Readers"]

_SIMPLE: Final[Mapping[Format, Callable[[Raw], Parsed]]] = {
    "markdown": markdown.parse,
    "text": text.parse,
    "code": code.parse,
}
"""Formats that are parsed here, at once; text cannot hurt."""

_ISOLATED: Final[Mapping[Format, str]] = {
    "html": "extraction.readers.html",
    "pdf": "extraction.readers.pdf",
    "docx": "extraction.readers.office",
    "pptx": "extraction.readers.slides",
    "xlsx": "extraction.readers.sheets",
    "odt": "extraction.readers.opendocument",
    "ods": "extraction.readers.opendocument",
    "odp": "extraction.readers.opendocument",
    "epub": "extraction.readers.epub",
    "rtf": "extraction.readers.rtf",
    "csv": "extraction.readers.delimited",
    "tsv": "extraction.readers.delimited",
    "json": "extraction.readers.structured",
    "jsonl": "extraction.readers.structured",
    "tex": "extraction.readers.tex",
    "notebook": "extraction.readers.notebook",
    "mail": "extraction.readers.mail",
}
"""Modules of the formats that only the parsing process imports."""

_NO_SUBJECT: Final = "(no subject)"


class Readers:
    """All readers, and the parsing process that they share. Close it when the run is over."""

    def __init__(self, settings: ReadingSettings) -> None:
        self._settings = settings
        self._isolation = Isolation(settings)

    def __enter__(self) -> "Readers":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the parsing process. A later read starts another one."""
        self._isolation.close()

    def read(
        self, loaded: Loaded, source: Source, written: Written | None = None
    ) -> Iterator[tuple[Draft, ...]]:
        """Yield what is to be stored of a file; each tuple whole: a message, its attachments.

        A mailbox is read lazily, message by message; one that cannot be read is passed over.
        What Git says (`written`) counts where the document names no author and no date.

        Raises:
            ReadRefused: nothing of the file is stored, and why. Raised on the first `next`.
        """
        candidate = loaded.candidate
        origin = Origin(
            source=source,
            uri=uri_of(source, candidate.path, loaded.sha256),
            path=candidate.path,
            name=candidate.path,
            format=_format(candidate, source),
            size=len(loaded.data),
            mtime=drafts.sane_date(written.at if written else None, candidate.mtime),
            authors=written.authors if written else (),
        )
        if origin.format == "mbox":
            yield from self._mailbox(loaded.data, origin)
        elif origin.format == "mail":
            message = self._take_apart(loaded.data, origin)
            yield self._message(message, origin, loaded.sha256)
        else:
            parsed = self._parse(loaded.data, origin)
            draft = drafts.build(parsed, origin, self._settings)
            yield (_as_memory(draft, source) if source.kind == "memory" else draft,)

    def _parse(self, data: bytes, origin: Origin) -> Parsed:
        raw = self._raw(data, origin)
        if simple := _SIMPLE.get(origin.format):
            return simple(raw)
        return cast("Parsed", self._isolation.call(_ISOLATED[origin.format], raw))

    def _take_apart(self, data: bytes, origin: Origin) -> Message:
        return cast("Message", self._isolation.call(_ISOLATED["mail"], self._raw(data, origin)))

    def _raw(self, data: bytes, origin: Origin) -> Raw:
        return Raw(origin.name, data, self._settings.max_text_characters)

    def _mailbox(self, data: bytes, origin: Origin) -> Iterator[tuple[Draft, ...]]:
        seen: set[str] = set()
        keys: Counter[str] = Counter()
        stored = False
        for raw in mbox.split(data):
            digest = hashlib.sha256(raw).hexdigest()
            if digest in seen or len(raw) > self._settings.max_file_bytes:
                continue
            seen.add(digest)
            try:
                message = self._take_apart(raw, origin)
                key = _key(message, digest)
                keys[key] += 1
                part = key if keys[key] == 1 else f"{key}-{keys[key]}"
                place = replace(origin, uri=f"{origin.uri}#{part}", format="mail", size=len(raw))
                unit = self._message(message, place, digest)
            except ReadRefused:
                continue  # one bad message, and the mailbox goes on
            stored = True
            yield unit
        if not stored:
            raise ReadRefused("skipped", "empty: no message of the mailbox can be read")

    def _message(self, message: Message, origin: Origin, digest: str) -> tuple[Draft, ...]:
        """Return a message and those of its attachments that a reader knows."""
        body = message.body
        if not body.strip():
            body = message.subject or (_NO_SUBJECT if message.attachments else "")
        place = replace(
            origin,
            mtime=drafts.sane_date(message.sent_at, origin.mtime),
            mail=Mail(
                message_id=message.message_id or f"{digest}@message.invalid",
                in_reply_to=message.in_reply_to,
                references=message.references,
                recipients=drafts.marked(message.recipients, self._settings),
            ),
        )
        parsed = Parsed(body, "text", title=message.subject or _NO_SUBJECT, authors=message.senders)
        mail = drafts.build(parsed, place, self._settings)
        files = enumerate(message.attachments[: self._settings.max_attachments], 1)
        attached = (self._attachment(number, file, mail, place) for number, file in files)
        return (mail, *(draft for draft in attached if draft))

    def _attachment(
        self, number: int, file: Attachment, mail: Draft, message: Origin
    ) -> Draft | None:
        part = part_name(number, file.name)
        name = part.partition("-")[2]
        if why_unread(name) or format_of(name) == "mbox":
            return None
        origin = replace(
            message,
            uri=f"{mail.uri}{'/' if '#' in mail.uri else '#'}{part}",
            name=name,
            format=format_of(name),
            size=len(file.data),
            authors=mail.authors,
            mail=None,
            attached_to=mail,
        )
        try:
            return drafts.build(self._attached(file.data, origin), origin, self._settings)
        except ReadRefused:
            return None  # its message is stored all the same

    def _attached(self, data: bytes, origin: Origin) -> Parsed:
        if origin.format != "mail":
            return self._parse(data, origin)
        # A forwarded message is a text of its own; what was attached to it is not read.
        inner = self._take_apart(data, origin)
        return Parsed(inner.body, "text", title=inner.subject, authors=inner.senders)


def _as_memory(draft: Draft, source: Source) -> Draft:
    """Return a memory file as one: named by its first heading, else by where it is."""
    tag = memory_files.tag_of(draft.path, PurePath(source.root).name, source.patterns)
    return replace(
        draft,
        title=markdown.heading_of(draft.text) or draft.path,
        labels=tuple(dict.fromkeys(each for each in (tag, *source.tags) if each)),
        is_memory_file=True,
    )


def _format(candidate: Candidate, source: Source) -> Format:
    if source.kind == "memory":
        return "markdown"  # whatever it is called: rules are written in it
    if source.kind == "maildir":
        return "mail"  # its files have no suffix
    return "mbox" if source.kind == "mbox" else format_of(candidate.path)


def _key(message: Message, digest: str) -> str:
    # By its id where it has one: programs rewrite headers of their own in the mailbox.
    return hashlib.sha256((message.message_id or digest).encode()).hexdigest()[:16]
