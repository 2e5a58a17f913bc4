"""Storing: units and outcomes gathered into transactions, each unit whole or absent."""

from collections.abc import Callable
from typing import Final

from api.ops.garage import Garage
from graphstore import documents
from graphstore.documents import Stored, Unit, Writing
from graphstore.errors import TooLarge
from graphstore.records import Outcome

_OUTCOMES: Final = 500
_UNITS: Final = 200


class Storing:
    """Gathers what one run stores. `counts` are files by outcome, and documents and chunks."""

    def __init__(
        self, garage: Garage, writing: Callable[[str], Writing], counts: dict[str, int]
    ) -> None:
        self._garage = garage
        self._writing = writing
        self._units: list[Unit] = []
        self._chunks = 0
        self._notes: list[Outcome] = []
        self.counts = counts

    def count(self, name: str, number: int = 1) -> None:
        """Count files of an outcome that writes nothing here."""
        self.counts[name] = self.counts.get(name, 0) + number

    def note(self, outcome: Outcome, counted: str = "") -> None:
        """Record what became of a file that stores nothing."""
        self.count(counted or outcome.state)
        self._notes.append(outcome)
        if len(self._notes) >= _OUTCOMES:
            self._flush_notes()

    def add(self, unit: Unit) -> None:
        """Store a unit, with those before it once they fill a transaction."""
        chunks = sum(len(pieces) for _, pieces in unit.drafts)
        limit = self._garage.settings.ingest.chunks_per_transaction
        if self._units and (self._chunks + chunks > limit or len(self._units) >= _UNITS):
            self._flush_units()
        self._units.append(unit)
        self._chunks += chunks

    def flush(self) -> None:
        """Write everything that was gathered."""
        self._flush_units()
        self._flush_notes()

    def _flush_units(self) -> None:
        units, self._units, self._chunks = self._units, [], 0
        if not units:
            return
        try:
            self._counted(documents.replace(self._garage.graph, units, self._writing("ingest")))
        except TooLarge as error:
            self._one_by_one(units, error)
            return
        for unit in units:
            if unit.outcome:
                self.count(unit.outcome.state)

    def _one_by_one(self, units: list[Unit], error: TooLarge) -> None:
        """Store what fits alone; a unit that does not is too large."""
        if len(units) > 1:
            for unit in units:
                self._units = [unit]
                self._flush_units()
            return
        outcome = units[0].outcome
        path = outcome.path if outcome else units[0].drafts[0][0].path
        stat = outcome.stat if outcome else ""
        self.note(Outcome(path, "too_large", error.message, stat))

    def _flush_notes(self) -> None:
        notes, self._notes = self._notes, []
        if notes:
            documents.note(self._garage.graph, notes, self._writing("ingest"))

    def _counted(self, stored: Stored) -> None:
        for name in ("documents", "chunks", "kept_chunks", "removed_documents"):
            self.count(name, stored.counts()[name])
        self._garage.wake_embedding()
