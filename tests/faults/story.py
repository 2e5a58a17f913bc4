"""The story that is disturbed: a folder and a mailbox are ingested and embedded, edited, and again.

Two chapters: the corpus as it was, and as it became (inserts, edits, a rename, a file that is gone,
a reply to a thread). A chapter told again from its start after a kill is what a resume is.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from api.ops import backfill, ingest, sources
from api.ops.garage import Caller, Garage, Stop
from api.ops.ingest import Progress
from api.ops.settings import IngestSettings, MaintenanceSettings, OpsSettings
from api.ops.sources import SourceRequest
from extraction.readers import Readers
from extraction.settings import ReadingSettings
from graphstore.clock import SystemClock
from graphstore.outcomes import Run
from graphstore.session import Graph
from tests.graph.conftest import at_once
from tests.words import WordEmbedder

OWNER: Final = Caller("tester", "cli")
CHAPTERS: Final = (1, 2)
_SETTINGS: Final = OpsSettings(
    ingest=IngestSettings(chunks_per_transaction=5),
    maintenance=MaintenanceSettings(embed_batch=12),
)
_KINDS: Final = {"notes": "filesystem", "post": "maildir"}
_LONG: Final = "\n\n".join(
    f"## Gauge {number}\n\n" + f"At gauge {number} the river stood at mark {number}. " * 60
    for number in range(5)
)


def _note(author: str, text: str) -> str:
    return f"---\nauthor: {author}\n---\n\n# Note\n\n{text}\n"


def _mail(number: int, sender: str, parent: int | None, text: str, attachment: str = "") -> str:
    head = f"From: {sender}\nTo: Team <team@example.org>\nSubject: The weir\n"
    head += (
        f"Date: Mon, {number + 1:02} Jun 2026 10:00:00 +0000\nMessage-ID: <m{number}@example.org>\n"
    )
    if parent is not None:
        head += f"In-Reply-To: <m{parent}@example.org>\nReferences: <m0@example.org>\n"
    if not attachment:
        return f"{head}\n{text}\n"
    return (
        f'{head}MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="cut"\n\n'
        f"--cut\nContent-Type: text/plain\n\n{text}\n"
        "--cut\nContent-Type: text/plain\n"
        'Content-Disposition: attachment; filename="levels.txt"\n\n'
        f"{attachment}\n--cut--\n"
    )


_ADA: Final = "Ada Brook <ada@example.org>"
_BO: Final = "Bo Marsh <bo@example.org>"

_FIRST: Final[dict[str, str]] = {
    "notes/long.md": "# Long\n\n" + _LONG,
    "notes/weir.md": _note(_ADA, "The weir was closed in May."),
    "notes/lock.md": _note(_BO, "The lock keeper has a new boat."),
    "notes/boat.md": _note("Cy Reed", "A boat of oak, nine metres."),
    "notes/old.md": _note("Di Ford <di@example.org>", "This note will be thrown away."),
    "notes/plan.txt": "Plan for the summer: measure, write down, compare.\n",
    "notes/code/levels.py": "def mean(levels):\n    return sum(levels) / len(levels)\n",
    "notes/empty.md": "",
    "notes/blob.bin": "\x00\x01\x02 not a text",
    "post/cur/m0:2,S": _mail(0, _ADA, None, "Shall we open the weir?", "Mark 1: 20 cm"),
    "post/cur/m1:2,S": _mail(1, _BO, 0, "Not before June."),
}
_SECOND: Final[dict[str, str | None]] = {
    "notes/long.md": "# Long\n\n" + _LONG.replace("gauge 3 the river", "gauge three the water"),
    "notes/weir.md": _note(f"{_ADA}; {_BO}", "The weir was closed in May, and opened in June."),
    "notes/lock.md": _note("Ada Brook", "The lock keeper has a new boat."),
    "notes/old.md": None,
    "notes/empty.md": "No longer empty.\n",
    "notes/new.md": _note("Eve Mill <eve@example.org>", "A new mill stands by the river."),
    "notes/plan.txt": None,
    "notes/plans/plan.txt": _FIRST["notes/plan.txt"],
    "post/cur/m1:2,S": None,
    "post/new/m2": _mail(2, _ADA, 1, "June it is.", "Mark 2: 25 cm"),
}


def write(folder: Path) -> None:
    """Write the corpus of both chapters side by side."""
    second = {path: text for path, text in (_FIRST | _SECOND).items() if text is not None}
    for chapter, files in zip(CHAPTERS, (_FIRST, second), strict=True):
        for path, text in files.items():
            file = folder / f"chapter-{chapter}" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            day = 1_780_000_000 + 86_400 * (chapter if path in _SECOND else 1)
            os.utime(file, (day, day))
    (folder / "now").mkdir()


def turn_to(folder: Path, chapter: int) -> None:
    """Make the corpus of a chapter the present one, its files untouched by the move."""
    now = folder / "now"
    for other in CHAPTERS:
        kept = folder / f"chapter-{other}"
        if not kept.exists():
            now.rename(kept)
    if now.exists():
        shutil.rmtree(now)
    (folder / f"chapter-{chapter}").rename(now)


@dataclass(frozen=True, slots=True)
class Telling:
    """How a chapter is told."""

    graph: Graph
    readers: Readers
    folder: Path
    report: Callable[[Progress], None] = lambda _: None


def garage_of(telling: Telling) -> Garage:
    """Return the garage that a chapter is told to."""
    return Garage(
        graph=telling.graph,
        readers=telling.readers,
        reading=ReadingSettings(),
        embedders=(WordEmbedder(),),
        settings=_SETTINGS,
        clock=SystemClock(),
        later=at_once,
    )


def tell(telling: Telling) -> list[Run]:
    """Do what a service does with the corpus that is there now; again and again if it must be."""
    garage = garage_of(telling)
    backfill.register(garage)
    runs: list[Run] = []
    for slug, kind in _KINDS.items():
        root = telling.folder / "now" / slug
        sources.declare(garage, OWNER, SourceRequest(slug, str(root), kind))
        run = ingest.new_run(garage, OWNER, slug, "story")
        runs.append(
            ingest.ingest(garage, OWNER, ingest.Request(run, False, telling.report, Stop()))
        )
        backfill.fill(garage, Stop())
    return runs
