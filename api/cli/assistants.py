"""`garage mcp`: the stdio relay, and its entry in the settings of an assistant.

The entry needs neither PATH nor a shell. The rest of the assistant's file stays as it is; a file
that cannot be read as JSON is left alone.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, cast

import typer

from api.cli import surroundings
from api.cli.options import Json
from api.cli.output import print_json, print_text, say
from api.cli.session import Session, session_of
from graphstore.errors import GarageError, InvalidInput

Client = Literal["claude-desktop", "claude-code", "cursor", "vscode"]
_NAME: Final = "garage"


@dataclass(frozen=True, slots=True)
class Host:
    """An assistant that starts MCP servers, and where it keeps which."""

    title: str
    key: str
    """Of the object that holds the servers."""
    files: Mapping[str, str]
    """By `sys.platform`."""
    says_stdio: bool
    """Whether an entry names its transport."""


HOSTS: Final[Mapping[Client, Host]] = {
    "claude-desktop": Host(
        "Claude Desktop",
        "mcpServers",
        {
            "linux": "{config}/Claude/claude_desktop_config.json",
            "darwin": "{home}/Library/Application Support/Claude/claude_desktop_config.json",
            "win32": "{appdata}/Claude/claude_desktop_config.json",
        },
        says_stdio=False,
    ),
    "claude-code": Host(
        "Claude Code",
        "mcpServers",
        dict.fromkeys(("linux", "darwin", "win32"), "{claude}/.claude.json"),
        says_stdio=True,
    ),
    "cursor": Host(
        "Cursor",
        "mcpServers",
        dict.fromkeys(("linux", "darwin", "win32"), "{home}/.cursor/mcp.json"),
        says_stdio=False,
    ),
    "vscode": Host(
        "VS Code",
        "servers",
        {
            "linux": "{config}/Code/User/mcp.json",
            "darwin": "{home}/Library/Application Support/Code/User/mcp.json",
            "win32": "{appdata}/Code/User/mcp.json",
        },
        says_stdio=True,
    ),
}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Speak MCP over standard input and output, for an assistant that starts this command.",
        rich_markup_mode=None,
        invoke_without_command=True,
        add_completion=False,
    )
    group.callback()(mcp)
    group.command("install")(install)
    app.add_typer(group, name="mcp")


def mcp(context: typer.Context, as_json: Json = False) -> None:
    """Speak MCP over standard input and output, for an assistant that starts this command."""
    del as_json  # it speaks JSON in any case
    if context.invoked_subcommand is not None:
        return
    from api.cli.relay import relay

    client = session_of(context).client
    relay(client.place, sys.stdin.buffer, sys.stdout.buffer)


def install(
    context: typer.Context,
    client: Annotated[Client, typer.Option("--client", help="The assistant.")],
    only_print: Annotated[
        bool, typer.Option("--print", help="Print what would be written; write nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Add Garage to an assistant's settings; whatever else is in them stays."""
    session = session_of(context)
    host = HOSTS[client]
    file = settings_of(host, session.environment, sys.platform)
    new = entry(host, session)
    has_changed = False if only_print else add(file, host, new)
    if as_json:
        found = {"client": client, "file": str(file), "key": host.key, "name": _NAME}
        print_json({**found, "entry": new, "changed": has_changed})
    elif only_print:
        print_text(json.dumps({host.key: {_NAME: new}}, ensure_ascii=False, indent=2))
        say(f"This belongs into {file}.")
    elif has_changed:
        say(f"{file} names Garage now. Next: start {host.title} again.")
    else:
        say(f"{file} names Garage already, with the same command.")
    if said := surroundings.left_behind(session):
        say(said)


def settings_of(host: Host, environment: Mapping[str, str], platform: str) -> Path:
    """Return the file that an assistant keeps its servers in."""
    home = environment.get("USERPROFILE" if platform == "win32" else "HOME") or str(Path.home())
    places = {
        "home": home,
        "config": environment.get("XDG_CONFIG_HOME") or f"{home}/.config",
        "appdata": environment.get("APPDATA") or f"{home}/AppData/Roaming",
        "claude": environment.get("CLAUDE_CONFIG_DIR") or home,
    }
    return Path(host.files.get(platform, host.files["linux"]).format_map(places))


def entry(host: Host, session: Session) -> dict[str, Any]:
    """Return how an assistant starts Garage."""
    program, *arguments = surroundings.command("mcp")
    named = surroundings.variables(session)
    return {
        **({"type": "stdio"} if host.says_stdio else {}),
        "command": program,
        "args": arguments,
        **({"env": named} if named else {}),
    }


def add(file: Path, host: Host, new: Mapping[str, Any]) -> bool:
    """Put the entry into the file; say whether that changed it.

    Raises:
        InvalidInput: the file is no JSON, or holds something else where the servers belong.
        GarageError: it cannot be read or written.
    """
    from api import files

    content = _content(file)
    servers = content.get(host.key, {})
    if not isinstance(servers, dict):
        raise _unfit(f'{file}: "{host.key}" is no object.')
    known = cast("dict[str, Any]", servers)
    if known.get(_NAME) == new:
        return False
    content[host.key] = {**known, _NAME: dict(new)}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        files.rewrite(file, json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    except OSError as error:
        raise GarageError(f"{file} cannot be written: {error.strerror}.") from error
    return True


def _content(file: Path) -> dict[str, Any]:
    from api import settings_file

    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise GarageError(f"{file} cannot be read ({type(error).__name__}).") from error
    if not text.strip():
        return {}
    try:
        return settings_file.parse(file, text).values
    except InvalidInput as error:
        raise _unfit(error.message) from error


def _unfit(message: str) -> InvalidInput:
    hint = "It was left as it is. 'garage mcp install … --print' shows what to put into it."
    return InvalidInput(message, hint=hint)
