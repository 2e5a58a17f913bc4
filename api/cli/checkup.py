"""Checkup: what a service stands on, looked at without one: settings, folders, Java, jars."""

import json
import os
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

from api import own_folder
from api.amounts import amount
from api.cli import surroundings
from api.cli.session import Session
from api.client import SILENT, standing
from api.ops.doctor import Check, State
from api.settings import Loaded, load
from graphstore.errors import GarageError, InvalidInput
from graphstore.room import MIB
from graphstore.server import jars, java

FIX: Final = "garage doctor --fix"
_LEAST: Final = 200 * MIB
_LITTLE: Final = 1024 * MIB
_STATES: Final[Mapping[str, State]] = {
    "ready": "ok",
    "starting": "warning",
    "stopping": "warning",
    "failed": "failed",
    SILENT: "failed",
}
"""What the state of a service is to a doctor."""
_PRIVATE_FILES: Final = ("tokens.json", "service.token", "service.json", "neo4j/password")
_INITIALIZE: Final[dict[str, Any]] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "garage doctor", "version": "1"},
    },
}
_MCP_ANSWER_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a service runs, or would."""

    session: Session
    loaded: Loaded


def settings(session: Session) -> tuple[Check, Loaded | None]:
    """Load the settings; without them nothing else can be looked at."""
    try:
        loaded = load(session.config_name, session.environment)
    except GarageError as error:
        return Check("settings", "failed", error.message, error.hint), None
    there = str(loaded.file) if loaded.file.exists() else f"defaults; there is no {loaded.file}"
    return Check("settings", "ok", there), loaded


def checks(place: Place) -> tuple[Check, ...]:
    """Look at everything that needs no service."""
    return tuple(check for look in _LOOKS for check in look(place))


def mend(place: Place) -> tuple[str, ...]:
    """Make folders private and fetch what is missing; return what was done.

    Raises:
        Unavailable: something cannot be fetched; the message says why.
    """
    done: list[str] = []
    for path in _open_to_others(place.loaded.data_folder):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o077)
        done.append(f"{path} is for you alone again.")
    for part in jars.TITLES:
        damaged = jars.damaged(part, place.loaded.cache_folder)
        if damaged or not jars.is_fetched(part, place.loaded.cache_folder):
            jars.discard(part, place.loaded.cache_folder)
            repository = place.loaded.settings.neo4j.maven_repository
            environment = dict(place.session.environment)
            jars.fetch(part, place.loaded.cache_folder, repository, lambda _: None, environment)
            done.append(f"{jars.TITLES[part]}: fetched and checked.")
    return tuple(done)


def mcp(session: Session) -> Check:
    """Start `garage mcp` and greet it as an assistant would."""
    environment = {**session.environment, **surroundings.variables(session)}
    greeting = json.dumps(_INITIALIZE) + "\n"
    try:
        done = subprocess.run(
            surroundings.command("mcp"),
            input=greeting,
            capture_output=True,
            text=True,
            timeout=_MCP_ANSWER_S,
            env=environment,
            cwd=session.data,
            check=False,
        )
        answer = cast("dict[str, Any]", json.loads(done.stdout.splitlines()[0]))
        name = answer["result"]["serverInfo"]["name"]
    except (OSError, ValueError, LookupError, subprocess.TimeoutExpired):
        detail = "'garage mcp' did not answer an assistant's greeting."
        return Check(
            "mcp", "failed", detail, "Run 'garage mcp' by hand; what it says is on stderr."
        )
    return Check("mcp", "ok", f"'garage mcp' answers as {name}.")


def _folders(place: Place) -> Iterator[Check]:
    data = place.loaded.data_folder
    try:
        own_folder.require_usable(data)
    except InvalidInput as error:
        yield Check("folders", "failed", error.message, error.hint)
        return
    if not data.exists():
        yield Check("folders", "ok", f"{data} will be made by the first command.")
        return
    found = _open_to_others(data)
    if not found:
        yield Check("folders", "ok", f"{data} is for you alone.")
    for path in found:
        mode = stat.S_IMODE(path.stat().st_mode)
        yield Check("folders", "failed", f"{path} may be read by others (mode {mode:04o}).", FIX)
    if not os.access(data, os.W_OK):
        yield Check("folders", "failed", f"{data} cannot be written.", f"chmod u+rwx {data}")


def _open_to_others(data: Path) -> list[Path]:
    if os.name == "nt":
        return []  # there, the user's own folder has its own access list
    places = [data, *(data / name for name in _PRIVATE_FILES)]
    return [p for p in places if p.exists() and stat.S_IMODE(p.stat().st_mode) & 0o077]


def _tokens(place: Place) -> Iterator[Check]:
    from api.serve.tokens import Tokens

    if not place.loaded.data_folder.exists():
        return
    try:
        found = Tokens(place.loaded.data_folder).listed()
    except (OSError, InvalidInput) as error:
        hint = error.hint if isinstance(error, InvalidInput) else "Look at its owner and its mode."
        yield Check("tokens", "failed", f"No client may enter: {error}", hint)
    else:
        writers = sum(token.may_write for token in found)
        yield Check("tokens", "ok", f"{amount(len(found), 'token')}, {writers} of them may write.")


def _disk(place: Place) -> Iterator[Check]:
    server = place.loaded.settings.neo4j
    floor = _LEAST if server.uri else server.keep_free_mb * MIB
    folders = {"data": (place.loaded.data_folder, floor)}
    folders["cache"] = (place.loaded.cache_folder, _LEAST)
    for name, (folder, least) in folders.items():
        there = next(each for each in (folder, *folder.parents) if each.exists())
        free = shutil.disk_usage(there).free
        detail = f"{free / 2**30:,.1f} GiB free for the {name} folder"
        if free < least:
            needed = f"{least // MIB} MiB are needed; nothing is written"
            detail = f"{free // MIB} MiB free for the {name} folder, {needed}."
            yield Check("disk", "failed", detail, f"Free space: {folder}")
        elif free < _LITTLE:
            yield Check("disk", "warning", f"{detail}.", f"Free space soon: {folder}")
        else:
            yield Check("disk", "ok", f"{detail}.")


def _java(place: Place) -> Iterator[Check]:
    server = place.loaded.settings.neo4j
    if server.uri:
        yield Check("java", "ok", f"Not needed: Neo4j is yours, at {_bare(server.uri)}.")
        return
    try:
        chosen = java.choose(server.java, place.session.environment)
    except GarageError as error:
        yield Check("java", "failed", error.message, error.hint)
        return
    fast = "with" if chosen.has_vector_module else "without"
    yield Check("java", "ok", f"Java {chosen.major} at {chosen.path}, {fast} its vector module.")


def _jars(place: Place) -> Iterator[Check]:
    cache = place.loaded.cache_folder
    for part, title in jars.TITLES.items():
        if part == "neo4j" and place.loaded.settings.neo4j.uri:
            continue
        damaged = jars.damaged(part, cache)
        if not jars.is_fetched(part, cache):
            yield Check("jars", "warning", f"{title}: not fetched yet.", FIX)
        elif damaged:
            yield Check("jars", "failed", f"{title}: {damaged[0]} is not the locked file.", FIX)
        else:
            yield Check("jars", "ok", f"{title}: {len(jars.locked(part))} files as locked.")


def _websockets(place: Place) -> Iterator[Check]:
    del place
    if find_spec("websockets") is None:
        detail = "The package websockets is missing: the explorer's subscriptions fail."
        yield Check("packages", "failed", detail, "Install Garage again from its lock.")


def _service(place: Place) -> Iterator[Check]:
    if found := standing(place.loaded.data_folder, asks_neo4j=True):
        service, health = found
        detail = f"pid {service.pid}, port {service.port}: {health.message or health.state}"
        step = "" if health.state == "ready" else health.hint or "garage status"
        yield Check("service", _STATES[health.state], f"{detail.rstrip('.')}.", step)
    else:
        yield Check("service", "ok", "None runs; the next command starts one.")
        yield from _port(place.loaded.settings.service.port)


def _port(port: int) -> Iterator[Check]:
    if not port:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probing:
        try:
            probing.bind(("127.0.0.1", port))
        except OSError:
            detail = f"Port {port} is taken by another program."
            yield Check("service", "failed", detail, "Set service.port to another one, or to 0.")


def _privacy(place: Place) -> Iterator[Check]:
    uri = place.loaded.settings.neo4j.uri or ""
    host = uri.partition("://")[2].rpartition("@")[2].partition("/")[0].rpartition(":")[0]
    if uri and host not in {"127.0.0.1", "localhost", "[::1]"}:
        detail = f"Everything that is stored goes to {_bare(uri)}, which is not this machine."
        yield Check(
            "privacy", "warning", detail, "Unset neo4j.uri (NEO4J_URI) to keep all of it here."
        )


def _bare(uri: str) -> str:
    scheme, _, rest = uri.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


_LOOKS: Final[tuple[Callable[[Place], Iterator[Check]], ...]] = (
    _folders,
    _tokens,
    _disk,
    _java,
    _jars,
    _websockets,
    _privacy,
    _service,
)
"""What is looked at, in this order."""
