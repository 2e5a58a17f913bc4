"""Ingest: one source is walked, read, chunked and stored; every file has an outcome.

A file whose stat is unchanged is not opened; one whose bytes are unchanged is not read again. What
is stored is stored whole; a run that is stopped or killed loses nothing that it stored, and the
next one goes on where it ended.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from api.amounts import amount
from api.ops import cutting, distilling
from api.ops.garage import Caller, Garage, Stop, activity
from api.ops.storing import Storing
from extraction import gitlog, walk
from extraction.candidates import is_same_reader
from extraction.errors import ReadRefused
from extraction.walk import Candidate, Loaded, Passed
from graphstore import documents, outcomes, sources
from graphstore.clock import new_uid
from graphstore.documents import Unit, Writing
from graphstore.errors import (
    Cancelled,
    Conflict,
    GarageError,
    InvalidInput,
    NotFound,
    StoreUnavailable,
    TooLarge,
)
from graphstore.outcomes import Run, RunState
from graphstore.records import ChunkDraft, Draft, Outcome, Source, Standing

_NEVER_READ: Final[Mapping[Standing, str]] = {
    "kept": "holds what was kept of removed sources; nothing is read into it",
    "removing": "is being removed",
}
_WRITTEN: Final = "is filled by writing to it; there is nothing to read"
_LISTED: Final = "'garage sources' lists what can be read."
_REMOVE_FILES: Final = 200
_REMOVE_CHUNKS: Final = 2_000
_RETRIES: Final = 2
"""Runs in which a file is read again whose failure may pass, such as the limit of time."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    run_uid: str
    source: str
    done: int
    total: int
    path: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Request:
    """What a run is to do, and whom it tells."""

    run: Run
    confirm: bool
    """Remove files that are gone, however many they are."""
    report: Callable[[Progress], None]
    stop: Stop
    accept_missing_root: bool = False
    """Remove every file when the root itself is not there; `confirm` alone does not say so."""


def new_run(garage: Garage, caller: Caller, slug: str, worker: str) -> Run:
    """Return the record of a run that begins now.

    Raises:
        NotFound: there is no such source.
        Conflict: it is being removed, or never read: the source `kept`, a store.
    """
    source = sources.get(garage.graph, slug)
    if why := _NEVER_READ.get(source.standing) or (_WRITTEN if source.is_store else ""):
        raise Conflict(f"The source '{slug}' {why}.", hint=_LISTED)
    return Run(
        uid=new_uid(),
        source=slug,
        actor=caller.name,
        state="running",
        started_at=garage.clock.now(),
        worker=worker,
    )


def ingest(garage: Garage, caller: Caller, request: Request) -> Run:
    """Ingest a source, record how it went, and return the run as it ended.

    A run that `needs_confirmation` stored what there was to store and removed nothing.

    Raises:
        StoreUnavailable: the graph cannot be written; what was stored before stays.
    """
    outcomes.put_run(garage.graph, request.run)
    counts: dict[str, int] = {}
    state: RunState = "done"
    message = ""
    try:
        source = sources.get(garage.graph, request.run.source)
        message = _Work(garage, caller, source, request, counts).go()
        state = "needs_confirmation" if message else "done"
    except Cancelled as error:
        state, message = "cancelled", error.message
    except StoreUnavailable:
        raise
    except GarageError as error:
        state, message = "failed", str(error)
    finished = replace(
        request.run, state=state, message=message, finished_at=garage.clock.now(), counts=counts
    )
    outcomes.put_run(garage.graph, finished)
    return finished


def _unseen_folders(found: Sequence[Candidate | Passed]) -> tuple[str, ...]:
    """Return the folders that could not be listed: nothing is known of what is in them."""
    folders = (item.path for item in found if item.path.endswith("/") and isinstance(item, Passed))
    # A message of a maildir has its folder's path, without `cur/` and `new/`.
    return tuple(folder.removesuffix("cur/").removesuffix("new/") for folder in folders)


def _is_as_read(known: Outcome, item: Candidate) -> bool:
    return known.state == "stored" and is_same_reader(known.stat, item.stat)


def _retries(known: Outcome | None, item: Candidate) -> int:
    """Return how often a file is read again unchanged, after a failure that may pass."""
    is_again = known is not None and known.stat == item.stat
    return max(known.retries - 1, 0) if known and is_again else _RETRIES


def _batches(gone: Sequence[Outcome]) -> Iterator[list[Outcome]]:
    """Yield files to remove in one transaction: few, and with few chunks, but at least one."""
    batch: list[Outcome] = []
    chunks = 0
    for outcome in gone:
        if batch and (len(batch) >= _REMOVE_FILES or chunks + outcome.chunks > _REMOVE_CHUNKS):
            yield batch
            batch, chunks = [], 0
        batch.append(outcome)
        chunks += outcome.chunks
    if batch:
        yield batch


class _Work:
    """One run over one source."""

    def __init__(
        self,
        garage: Garage,
        caller: Caller,
        source: Source,
        request: Request,
        counts: dict[str, int],
    ) -> None:
        self._garage = garage
        self._caller = caller
        self._source = source
        self._request = request
        self._known = outcomes.known(garage.graph, source.slug)
        self._history: Mapping[str, gitlog.Written] = {}
        self._storing = Storing(garage, self._writing, counts)

    def go(self) -> str:
        """Do it all; return the question to answer before files are removed, or nothing."""
        try:
            found = list(walk.walk(self._source, self._garage.reading))
        except NotFound as error:
            return self._remove_all(str(error))
        if self._source.kind == "git":
            self._history = gitlog.history(Path(self._source.root), self._garage.reading)
        try:
            for place, item in enumerate(found):
                self._request.stop.check()
                self._tell(place, len(found), item.path)
                self._take(item)
        except Cancelled:
            # What was read is kept: the next run need not read it again.
            self._storing.flush()
            raise
        self._storing.flush()
        self._tell(len(found), len(found), "")
        present = {item.path for item in found}
        unseen = _unseen_folders(found)
        gone = [p for p in self._known if p not in present and not p.startswith(unseen)]
        return self._remove_vanished(gone)

    def _take(self, item: Candidate | Passed) -> None:
        known = self._known.get(item.path)
        if known and known.stat == item.stat and item.stat and not known.retries:
            self._storing.count("unchanged")
            return
        if isinstance(item, Passed):
            self._pass(known, Outcome(item.path, item.state, item.reason, item.stat))
            return
        try:
            loaded = walk.load(item)
            if known and known.file_sha256 == loaded.sha256 and _is_as_read(known, item):
                # Other times, same bytes: only the stat is new.
                self._storing.note(replace(known, stat=item.stat), counted="unchanged")
                return
            self._read(loaded)
        except ReadRefused as refused:
            outcome = Outcome(item.path, refused.state, refused.reason, item.stat)
            retries = _retries(known, item) if refused.may_pass else 0
            self._pass(known, replace(outcome, retries=retries))

    def _pass(self, known: Outcome | None, outcome: Outcome) -> None:
        """Record that a file stores nothing; what it held before goes, unless it may be there."""
        if known is None or not known.documents or self._source.kind == "inbox":
            self._storing.note(outcome)
        elif outcome.state == "failed":
            kept = replace(outcome, documents=known.documents, chunks=known.chunks)
            self._storing.note(kept)
        else:
            self._storing.add(Unit((), outcome, frozenset()))

    def _read(self, loaded: Loaded) -> None:
        """Read one file into units and hand them on, the last with the file's outcome."""
        item = loaded.candidate
        uris: set[str] = set()
        pending: list[tuple[Draft, tuple[ChunkDraft, ...]]] = []
        chunks = 0
        written = self._history.get(item.path)
        for drafts in self._garage.readers.read(loaded, self._source, written):
            self._request.stop.check()
            if pending:
                self._storing.add(Unit(tuple(pending)))
            asked = [distilling.asking(self._garage, draft) for draft in drafts]
            pending = [(draft, self._split(draft)) for draft in asked]
            uris |= {draft.uri for draft in drafts}
            chunks += sum(len(pieces) for _, pieces in pending)
        outcome = Outcome(item.path, "stored", "", item.stat, loaded.sha256, len(uris), chunks)
        keeps_all = self._source.kind == "inbox"
        self._storing.add(Unit(tuple(pending), outcome, None if keeps_all else frozenset(uris)))

    def _split(self, draft: Draft) -> tuple[ChunkDraft, ...]:
        try:
            return cutting.cut(self._garage, draft)
        except TooLarge as error:
            raise ReadRefused("too_large", error.message) from error
        except InvalidInput as error:
            raise ReadRefused("failed", error.message) from error

    def _remove_all(self, missing: str) -> str:
        """Remove every file of a root that is not there, when that was confirmed on purpose."""
        paths = list(self._known)
        if not paths or self._source.kind == "inbox":
            return missing
        if not self._request.accept_missing_root:
            return f"{missing} Confirm that it is gone to remove its {amount(len(paths), 'file')}."
        return self._remove(paths)

    def _remove_vanished(self, paths: list[str]) -> str:
        """Remove files that are gone; or return the question that must be answered first."""
        if not paths or self._source.kind == "inbox":
            return ""
        share = len(paths) / len(self._known)
        if not self._request.confirm and share >= self._garage.settings.ingest.vanished_share:
            gone = f"{len(paths)} of {len(self._known)} files of '{self._source.slug}' are gone."
            return f"{gone} Confirm to remove them from the graph."
        return self._remove(paths)

    def _remove(self, paths: list[str]) -> str:
        for batch in _batches([self._known[path] for path in paths]):
            self._request.stop.check()
            documents.remove_files(self._garage.graph, batch, self._writing("reconcile"))
            self._storing.count("removed", len(batch))
        return ""

    def _writing(self, verb: str) -> Writing:
        reason = f"ingest run {self._request.run.uid}"
        return Writing(
            source=self._source.slug,
            run_uid=self._request.run.uid,
            activity=activity(self._garage, self._caller, verb, reason),
            now=self._garage.clock.now(),
        )

    def _tell(self, done: int, total: int, path: str) -> None:
        run = self._request.run
        progress = Progress(run.uid, run.source, done, total, path, dict(self._storing.counts))
        self._request.report(progress)
