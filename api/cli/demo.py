"""The demo: the examples from files to answers, through every door that a person has.

It has a data folder of its own below the cache folder, so that it touches nothing of yours and a
second run shows what an unchanged corpus costs. A Neo4j named in the environment is left alone.
"""

import json
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from api.cli import demo_doors, surroundings
from api.cli.ingesting import Followed, follow, report
from api.cli.output import print_table, say, style
from api.cli.progress import Progress
from api.cli.searching import print_result
from api.cli.session import Session
from api.cli.stopping import stop_service
from graphstore.errors import Conflict, NotFound, Unavailable

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "examples"
SEARCHES: Final = (
    "How high is the deposit for the flat in Rostock?",
    "Which antibiotic is Mara allergic to?",
    "temperature byte in version 2 of the frame",
)
_READY_S: Final = 120.0
_EMBEDDED_S: Final = 240.0
_POLL_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the demo plays."""

    session: Session
    examples: Path
    repository: Path
    """The Git repository that the demo makes."""

    @property
    def sources(self) -> dict[str, Path]:
        """The sources by slug."""
        folders = {name: self.examples / name for name in ("notes", "code", "mail")}
        return {**folders, "repo": self.repository}


def prepare(session: Session, examples: Path, *, stays_up: bool) -> Stage:
    """Fetch what is needed and set the stage.

    Raises:
        NotFound: the examples are not there.
        Unavailable: something cannot be fetched.
    """
    from api.serve import parts
    from api.settings import load

    if not (examples / "make_repo.py").is_file():
        message = f"There are no examples in {examples}."
        raise NotFound(message, hint="They are in Garage's repository: run 'make demo' there.")
    mine = load(session.config_name, session.environment)
    folder = mine.cache_folder / "demo"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    settings = folder / "garage.json"
    settings.write_text(json.dumps(_settings(mine.settings.neo4j)), encoding="utf-8")
    environment = {
        **{k: v for k, v in session.environment.items() if not _names_another_graph(k)},
        "GARAGE_CONFIG": str(settings),
        "GARAGE_DATA": str(folder / "data"),
        "GARAGE_CACHE": str(mine.cache_folder),
        **({"GARAGE_SERVICE__IDLE_MINUTES": "0"} if stays_up else {}),
    }
    with Progress("setup") as progress:
        parts.fetch(load(None, environment), environment, progress.tell)
    return Stage(Session(environment), examples, _repository(examples, folder))


def play(stage: Stage, *, stays_up: bool, is_quiet: bool) -> dict[str, Any]:
    """Show everything, and return what was shown; the service ends with it.

    Raises:
        Conflict: another demo is playing on this stage.
    """
    session = stage.session
    lock = FileLock(stage.repository.parent / "demo.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        message = "Another demo is running."
        raise Conflict(message, hint="Wait for its end, or stop it with Ctrl-C.") from error
    try:
        found = _Play(stage, is_quiet).acts()
        if stays_up:
            _stay_up(session)
    finally:
        stop_service(session)
        lock.release()
    return found


class _Play:
    """One showing, act by act."""

    def __init__(self, stage: Stage, is_quiet: bool) -> None:
        self._stage = stage
        self._session = stage.session
        self._is_quiet = is_quiet

    def acts(self) -> dict[str, Any]:
        _wait_until_ready(self._session)
        ended = [self._ingest(slug, root) for slug, root in self._stage.sources.items()]
        _wait_until_embedded(self._session)
        found: dict[str, Any] = {"runs": [each.run for each in ended]}
        self._title("What was stored, skipped and refused")
        if not self._is_quiet:
            report(self._session, ended, says_next=False)
        found["notStored"] = self._not_stored()
        found["searches"] = [self._search(query) for query in SEARCHES]
        found["graphql"] = self._door("One GraphQL query over HTTP", demo_doors.over_http)
        found["mcp"] = self._door("One MCP tool call over stdio", demo_doors.over_stdio)
        self._title("What to type next")
        if not self._is_quiet:
            print(_NEXT)
            if said := surroundings.how_to_call(self._session):
                print(f"\n{said}")
        return found

    def _title(self, text: str) -> None:
        if not self._is_quiet:
            print(f"\n{style(text, 'bold', self._session)}\n")

    def _ingest(self, slug: str, root: Path) -> Followed:
        self._session.run("add_source", slug=slug, root=str(root))
        return follow(self._session, slug)

    def _not_stored(self) -> Any:
        states = ["skipped", "too_large", "failed"]
        files: Any = self._session.run("files", source=None, states=states, limit=1_000)
        if files and not self._is_quiet:
            print()
            rows = [(each["source"], each["path"], each["reason"]) for each in files]
            print_table(("source", "not stored", "why"), rows, self._session)
        return files

    def _search(self, query: str) -> Any:
        self._title(f"garage search {json.dumps(query)}")
        result: Any = self._session.run("search", query=query, limit=3)
        if not self._is_quiet:
            print_result(self._session, {**result, "truncated": False})
        return result

    def _door(self, title: str, call: Any) -> Any:
        self._title(title)
        shown = call(self._session)
        if not self._is_quiet:
            print(shown.text)
        return shown.answer


_NEXT: Final = """\
  garage add-source notes ~/notes     your own files; then: garage ingest notes
  garage search "…"                   --explain shows why, --json is for programs
  garage status, garage stop          how your service stands, once it runs; end it
  garage open                         search and read in the browser
  garage mcp                          what an assistant starts to use your graph"""


def _settings(server: Any) -> dict[str, Any]:
    """Return what the demo keeps of your settings: how to fetch and start, not what you store."""
    kept = {"java": server.java, "maven_repository": server.maven_repository}
    return {
        "neo4j": {key: value for key, value in kept.items() if value},
        "reading": {"self_identities": ["mara@example.org"], "self_names": ["Mara Lindqvist"]},
    }


def _names_another_graph(variable: str) -> bool:
    return variable.startswith(("NEO4J_", "GARAGE_DATA__")) or variable in {
        "GARAGE_NEO4J__URI",
        "GARAGE_SERVICE__PORT",
    }


def _repository(examples: Path, folder: Path) -> Path:
    """Return the Git repository of the examples, made when it is not there yet."""
    target = folder / "gauge-decoder"
    if target.exists():
        return target
    making = folder / "gauge-decoder.new"
    shutil.rmtree(making, ignore_errors=True)
    try:
        subprocess.run(
            [sys.executable, examples / "make_repo.py", making], check=True, capture_output=True
        )
    except subprocess.CalledProcessError as error:
        raise Unavailable("The Git repository cannot be made.", hint="Is git there?") from error
    making.rename(target)
    return target


def _wait_until_ready(session: Session) -> None:
    deadline = time.monotonic() + _READY_S
    with Progress("starting") as progress:
        while True:
            status: Any = session.run("status")
            if status["state"] == "ready":
                return
            if status["state"] != "starting" or time.monotonic() > deadline:
                log = session.data / "logs" / "service.log"
                message = f"The service is not ready: {status['message']}"
                raise Unavailable(message, hint=f"{log} says more.")
            progress.tell(status["message"])
            time.sleep(_POLL_S)


def _wait_until_embedded(session: Session) -> None:
    deadline = time.monotonic() + _EMBEDDED_S
    most = 0
    with Progress("embedding") as progress:
        while pending := int(session.run("stats")["pending"]):
            if time.monotonic() > deadline:
                message = f"{pending:,} texts still wait for a vector."
                raise Unavailable(message, hint="'garage stats' says why.")
            most = max(most, pending)
            progress.show(most - pending, most)
            time.sleep(_POLL_S)


def _stay_up(session: Session) -> None:
    """Print the addresses and wait for Ctrl-C."""
    service = session.client.service
    print(f"\nPages:                 http://127.0.0.1:{service.port}/search")
    print(f"GraphQL and GraphiQL:  http://127.0.0.1:{service.port}/graphql")
    print(f"Log in within a minute: {session.login_link()}")
    print(f"The demo's settings:   --config {session.environment['GARAGE_CONFIG']}")
    say("The demo stays up. Ctrl-C ends it.")
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        say("\nStopping.")
