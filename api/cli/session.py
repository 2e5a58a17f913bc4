"""Session: what every command is handed, made once from the arguments and the environment."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import typer

from api.cli import stored

if TYPE_CHECKING:
    from api.client import Client, Service

_NUMBER: Final = re.compile(r"\d+")


@dataclass
class Session:
    """One run of the command line."""

    environment: Mapping[str, str]
    config: Path | None = None
    """The settings file that `--config` names."""
    told: set[str] = field(default_factory=set[str])
    """The stages of waiting that were told."""

    @property
    def config_name(self) -> str | None:
        """The settings file as `api.settings` and `api.folders` take it."""
        return str(self.config) if self.config else None

    @cached_property
    def data(self) -> Path:
        """The data folder."""
        from api import folders

        return folders.data_folder(self.environment, self.config_name)

    @cached_property
    def client(self) -> "Client":
        """The client of the data folder's service."""
        from api.client import Client, Place  # sockets: what needs no service does not load them

        named = self.environment.get("GARAGE_CONFIG")
        config = self.config or (Path(named) if named else None)
        return Client(Place(self.data, self.environment, config, self._report, self._notice))

    def _notice(self, service: "Service") -> None:
        """Tell, once per service, that it runs with other settings than this command has."""
        from api.cli import staleness

        if said := staleness.warning(service, self.environment, self.config_name):
            _say(said)

    def _report(self, message: str) -> None:
        """Tell what is waited for; where nobody watches, each stage once, not each step of it."""
        stage = _NUMBER.sub("N", message)
        if sys.stderr.isatty() or stage not in self.told:
            self.told.add(stage)
            _say(message)

    def run(self, operation: str, **variables: Any) -> Any:
        """Run a stored query or mutation and return its one field; of a list, the items."""
        (value,) = self.client.run(stored.operation(operation), variables).values()
        if isinstance(value, dict) and list(cast("dict[str, Any]", value)) == ["items"]:
            return cast("dict[str, Any]", value)["items"]
        return cast("Any", value)

    def login_link(self) -> str:
        """Return an address that logs a browser in: once, within a minute."""
        path = str(self.client.post("/login", {})["path"])
        return f"http://127.0.0.1:{self.client.service.port}{path}"


def session_of(context: typer.Context) -> Session:
    """Return the session that a command runs in."""
    return cast("Session", context.obj)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
