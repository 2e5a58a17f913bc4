"""Surroundings: how a program that is not this shell starts `garage`, and finds the same graph.

An assistant or a service manager starts it without this shell's PATH and variables. So the command
is absolute, and what says which graph is meant goes along; settings do not, they belong into the
file.
"""

import sys
from pathlib import Path
from shutil import which
from typing import Final

from api.cli.session import Session
from api.settings_names import ALIASES, PREFIX, SPECIAL

_WHICH: Final = ("GARAGE_CONFIG", "GARAGE_DATA", "GARAGE_CACHE")


def command(*words: str) -> list[str]:
    """Return the command line that runs `garage` from anywhere."""
    # -P: a folder called `api` where it is started does not come first.
    return [str(Path(sys.executable).absolute()), "-P", "-m", "api.cli", *words]


def how_to_call(session: Session) -> str:
    """Say how `garage` is called here; empty where the shell finds it by its name."""
    if which("garage", path=session.environment.get("PATH")):
        return ""
    folder = Path(sys.executable).absolute().parent
    return (
        f"'garage' is not on your PATH: call {folder / 'garage'}, or put it there with\n"
        f'  export PATH="{folder}:$PATH"'
    )


def variables(session: Session) -> dict[str, str]:
    """Return what must be set so that it is the same graph; empty in the usual places."""
    named = {name: session.environment[name] for name in _WHICH if session.environment.get(name)}
    if session.config:
        named["GARAGE_CONFIG"] = str(session.config)
    return {name: str(Path(value).expanduser().absolute()) for name, value in named.items()}


def left_behind(session: Session) -> str:
    """Return what to tell of settings that this shell has and the other will not."""
    names = [
        name
        for name in sorted(session.environment)
        if name not in SPECIAL and (name in ALIASES or name.startswith(PREFIX))
    ]
    if not names:
        return ""
    return f"Not carried over: {', '.join(names)}. 'garage config set' puts them into the file."
