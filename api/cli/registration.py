"""`garage serve --install`: the service, started by systemd or launchd when its owner logs in.

A second time changes nothing. A file of that name that is not ours is left alone.
"""

import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from api import files
from api.cli import surroundings
from api.cli.session import Session
from graphstore.errors import Conflict, GarageError, Unavailable

_UNIT: Final = "garage.service"
_LABEL: Final = "garage"
_OURS: Final = "api.cli"
"""Stands in every file that we write."""
_STOP_S: Final = 60
"""What a stop may take: its own limits for a batch, the runs and Neo4j, together."""
_TIMEOUT_S: Final = 90.0
_FOREGROUND: Final = "'garage serve' runs in the foreground: start it as your system starts things."


@dataclass(frozen=True, slots=True)
class Registration:
    """How a service manager is told of the service."""

    manager: str
    file: Path
    text: str
    probe: Sequence[str]
    """Ends with 0 where the manager can be asked."""
    up: Sequence[Sequence[str]]
    """After the file was written."""
    down: Sequence[Sequence[str]]
    """Before the file is removed; may fail when there is nothing to end."""
    gone: Sequence[Sequence[str]] = ()
    """After it was removed."""


def registration(session: Session) -> Registration:
    """Return how the service is registered here.

    Raises:
        Unavailable: this system has no service manager that we know.
    """
    make = _MANAGERS.get(sys.platform)
    if make is None:
        message = f"There is no systemd and no launchd on this system ({sys.platform})."
        raise Unavailable(message, hint=_FOREGROUND)
    return make(session)


def install(session: Session, found: Registration, stop: Callable[[], object]) -> bool:
    """Register the service and start it; say whether that changed anything.

    `stop` ends a service that was started on demand, because a folder has one service only.

    Raises:
        Unavailable: the manager does not answer.
        Conflict: there is a file of that name that we did not write.
    """
    _probe(session, found)
    old = _ours(found)
    if old == found.text:
        return False
    stop()
    try:
        found.file.parent.mkdir(parents=True, exist_ok=True)
        files.rewrite(found.file, found.text)
    except OSError as error:
        raise GarageError(f"{found.file} cannot be written: {error.strerror}.") from error
    if old:
        _run(session, found.down, may_fail=True)
    _run(session, found.up)
    return True


def uninstall(session: Session, found: Registration) -> bool:
    """End the service and forget it; say whether there was one.

    Raises:
        Unavailable: the manager does not answer.
        Conflict: there is a file of that name that we did not write.
    """
    if not _ours(found):
        return False
    _probe(session, found)
    _run(session, found.down, may_fail=True)
    found.file.unlink(missing_ok=True)
    _run(session, found.gone)
    return True


def systemd(session: Session) -> Registration:
    """Return the user unit of systemd."""
    home = session.environment.get("XDG_CONFIG_HOME") or f"{_home(session)}/.config"
    control = ("systemctl", "--user")
    named = surroundings.variables(session).items()
    words = " ".join(_quoted(word.replace("$", "$$")) for word in surroundings.command("serve"))
    lines = [
        "# Written by 'garage serve --install'; 'garage serve --uninstall' removes it.",
        "[Unit]",
        "Description=Garage: your own knowledge, searchable",
        "StartLimitIntervalSec=120",
        "StartLimitBurst=4",
        "",
        "[Service]",
        f"ExecStart={words}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in named),
        "Restart=on-failure",
        "RestartSec=5",
        f"TimeoutStopSec={_STOP_S}",
        "# It ends its Neo4j itself.",
        "KillMode=mixed",
        "UMask=0077",
        "NoNewPrivileges=yes",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return Registration(
        manager="systemd",
        file=Path(home) / "systemd" / "user" / _UNIT,
        text="\n".join(lines) + "\n",
        probe=(*control, "show-environment"),
        up=((*control, "daemon-reload"), (*control, "enable", "--now", _UNIT)),
        down=((*control, "disable", "--now", _UNIT),),
        gone=((*control, "daemon-reload"),),
    )


def launchd(session: Session) -> Registration:
    """Return the agent of launchd."""
    content = {
        "Label": _LABEL,
        "ProgramArguments": surroundings.command("serve"),
        "EnvironmentVariables": surroundings.variables(session),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ExitTimeOut": _STOP_S,
        "ProcessType": "Background",
        "Umask": 0o077,
    }
    file = Path(_home(session)) / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
    domain = f"gui/{os.getuid()}"
    return Registration(
        manager="launchd",
        file=file,
        text=plistlib.dumps(content).decode(),
        probe=("launchctl", "print", domain),
        up=(("launchctl", "bootstrap", domain, str(file)),),
        down=(("launchctl", "bootout", f"{domain}/{_LABEL}"),),
    )


_MANAGERS: Final[Mapping[str, Callable[[Session], Registration]]] = {
    "linux": systemd,
    "darwin": launchd,
}


def _home(session: Session) -> str:
    return session.environment.get("HOME") or str(Path.home())


def _quoted(word: str) -> str:
    """Return a word as systemd reads it back: quoted, without its own signs."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{plain}"'


def _ours(found: Registration) -> str:
    """Return what we wrote before; empty when there is nothing."""
    try:
        text = found.file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    if _OURS not in text:
        message = f"{found.file} is there, and not of our making."
        raise Conflict(message, hint="Move it away, then try again.")
    return text


def _probe(session: Session, found: Registration) -> None:
    if shutil.which(found.probe[0], path=session.environment.get("PATH")) is None:
        message = f"There is no {found.manager} here ({found.probe[0]} is not installed)."
        raise Unavailable(message, hint=_FOREGROUND)
    if _ended(session, found.probe).returncode != 0:
        message = f"{found.manager} does not answer for this user."
        raise Unavailable(message, hint=f"Log in as the user whose service it is. {_FOREGROUND}")


def _run(session: Session, commands: Sequence[Sequence[str]], *, may_fail: bool = False) -> None:
    for command in commands:
        done = _ended(session, command)
        if done.returncode != 0 and not may_fail:
            said = done.stderr.strip().splitlines()[-1:]
            message = f"'{' '.join(command)}' failed{': ' if said else ''}{''.join(said)}."
            raise GarageError(message, hint="'garage serve' in the foreground shows more.")


def _ended(session: Session, command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    program = shutil.which(command[0], path=session.environment.get("PATH")) or command[0]
    try:
        return subprocess.run(
            [program, *command[1:]],
            env=dict(session.environment),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"'{' '.join(command)}' could not be run ({type(error).__name__})."
        raise Unavailable(message, hint=_FOREGROUND) from error
