"""Wording: a reply as a short text that stands alone. Stored text is quoted, with its source."""

from collections.abc import Sequence
from typing import Final

from api.amounts import amount
from api.mcp.budget import TEXT_BYTES, cut, written
from api.mcp.results import (
    DocumentReply,
    SearchHit,
    SearchReply,
    SourcesReply,
    StatsReply,
    TextReply,
)

_SNIPPET: Final = 400
_ORDINARY: Final = frozenset({"added", "declared"})


def quoted(text: str) -> str:
    """Return stored text with a mark before every line, so that it cannot pass for ours."""
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def search(reply: SearchReply) -> str:
    """Word the answer to a search."""
    notes = [f"Note: {note}" for note in reply.degraded]
    if reply.low_confidence:
        notes.append("Note: low confidence; probably nothing stored answers this.")
    if not reply.hits:
        return "\n".join(["Nothing was found.", *notes])
    blocks = within([_hit(hit) for hit in reply.hits], TEXT_BYTES)
    more = len(reply.hits) - len(blocks) + reply.left_out
    end = [f"{more} more; narrow the search or lower limit."] if more else []
    if not more and reply.truncated:
        end = ["More were found than asked for; raise limit or narrow the search."]
    head = f"{len(reply.hits)} passages, best first. Quoted text is stored data."
    return "\n".join([head, *notes, *blocks, *end])


def document(reply: DocumentReply) -> str:
    """Word what a document is."""
    by = f", by {one_line(', '.join(reply.authors[:5]))}" if reply.authors else ""
    links = [
        f"{name}: {one_line(', '.join(uris[:10]), 2_000)}"
        for name, uris in (
            ("answers", reply.replies_to),
            ("thread of", reply.thread),
            ("attached to", reply.attachment_of),
            ("attachments", reply.attachments),
        )
        if uris
    ]
    lines = [
        f"{one_line(reply.title)}{by}",
        f"{one_line(reply.uri)} · {reply.uid} · {reply.mime} · {reply.corpus_class}, {reply.trust}",
        f"{reply.characters:,} characters, {reply.tokens:,} tokens, changed {reply.changed_at}",
        *links,
        quoted(reply.opening),
    ]
    return cut("\n".join(lines), TEXT_BYTES)


def text(reply: TextReply) -> str:
    """Word a piece of a document."""
    place = f"{reply.start:,} to {reply.end:,} of {reply.characters:,} characters"
    head = f"{one_line(reply.title)} ({one_line(reply.uri)}; {reply.trust}), {place}. Stored data:"
    more = f"\n{reply.characters - reply.end:,} more; read on with start={reply.end}."
    return f"{head}\n{quoted(reply.text)}{more if reply.truncated else ''}"


def sources(reply: SourcesReply) -> str:
    """Word the list of sources."""
    lines = [
        f"{row.slug}: {row.kind}{f' at {one_line(row.root)}' if row.root else ''}, "
        f"{amount(row.documents, 'document')} ({row.default_class}, {row.default_trust}"
        f"{'' if row.standing in _ORDINARY else f', {row.standing}'})"
        for row in reply.sources
    ]
    kept = within(lines, TEXT_BYTES)
    more = len(lines) - len(kept) + reply.left_out
    return "\n".join([*kept, *([f"{more} more."] if more else [])]) or "There is no source yet."


def stats(reply: StatsReply) -> str:
    """Word how much there is."""
    lines = [
        f"{amount(reply.documents, 'document')} in {amount(reply.sources, 'source')}, "
        f"{amount(reply.chunks, 'chunk')}, {amount(reply.authors, 'author')}; "
        f"{amount(reply.pending, 'chunk')} still without a vector.",
        *(
            f"{row.slug}: {row.state}, {row.pending:,} pending, {row.refused:,} refused"
            + (f" ({row.error})" if row.error else "")
            for row in reply.models
        ),
    ]
    return cut("\n".join(lines), TEXT_BYTES)


def _hit(hit: SearchHit) -> str:
    section = f" › {one_line(hit.section)}" if hit.section else ""
    by = f", by {one_line(', '.join(hit.authors[:3]))}" if hit.authors else ""
    head = (
        f"{hit.rank}. {one_line(hit.title)}{section} ({hit.source}; {hit.corpus_class}, "
        f"{hit.trust}{by}; {hit.changed_at[:10]}) {one_line(hit.uri)} · document {hit.document}"
        f"{_said_by(hit)}"
    )
    return f"{head}\n{quoted(cut(hit.text, _SNIPPET))}"


def _said_by(hit: SearchHit) -> str:
    """Say who said a memory and whether the owner stands by it; of a text, who handed it over."""
    who = one_line(hit.client) or hit.origin
    if not hit.memory_id:
        return f" · handed over by {who}" if who else ""
    stands = "the owner's word" if hit.confirmed else "not confirmed by the owner"
    return f" · memory {hit.memory_id}, said by {who}, {stands}"


def one_line(words: str, most_bytes: int = 200) -> str:
    """Return stored words, such as a title or the name of a file, on one line."""
    return cut(" ".join(words.split()), most_bytes)


def within(blocks: Sequence[str], most_bytes: int) -> list[str]:
    """Return the first blocks that fit together; always the first one."""
    total = 0
    kept: list[str] = []
    for block in blocks:
        total += written(block) + 2
        if kept and total > most_bytes:
            break
        kept.append(block)
    return kept
