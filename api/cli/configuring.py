"""`garage config set`, `unset`, `check`, `schema`: the settings file, changed and looked over."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli import suggestions
from api.cli.failures import EXIT_CODES
from api.cli.options import Json
from api.cli.output import print_json, print_text, say
from api.cli.session import Session, session_of

if TYPE_CHECKING:
    from api.settings_edit import Edit

Name = Annotated[
    str,
    typer.Argument(
        metavar="KEY", help="Such as search.limit.", autocompletion=suggestions.settings
    ),
]


def register(group: typer.Typer) -> None:
    """Add the commands."""
    group.command("set")(put)
    group.command("unset")(unset)
    group.command("check")(check)
    group.command("schema")(schema)


def put(
    context: typer.Context,
    key: Name,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="JSON, or plain text.")],
    as_json: Json = False,
) -> None:
    """Set one setting in the settings file. Secrets go into files of their own, never here."""
    from api import settings_edit

    session = session_of(context)
    _told(session, settings_edit.put(session.config_name, session.environment, key, value), as_json)


def unset(context: typer.Context, key: Name, as_json: Json = False) -> None:
    """Take one setting out of the settings file, so that its default counts again."""
    from api import settings_edit

    session = session_of(context)
    _told(session, settings_edit.remove(session.config_name, session.environment, key), as_json)


def check(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(help="A file to check alone; else file and environment.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Look the settings over and show everything that is wrong with them. Ends with 2 then."""
    from api import settings_check

    session = session_of(context)
    name = str(file) if file else session.config_name
    found = settings_check.problems(name, {} if file else session.environment)
    if as_json:
        print_json({"ok": not found, "problems": [asdict(each) for each in found]})
    for each in () if as_json else found:
        print_text(f"{each.place}: {each.what}\n    {each.next}")
    if found:
        raise typer.Exit(EXIT_CODES["INVALID_INPUT"])
    if not as_json:
        say("Nothing is wrong.")


def schema(context: typer.Context, as_json: Json = False) -> None:
    """Print the JSON Schema of the settings file, for an editor."""
    del context, as_json  # it is JSON in any case
    from api import settings_schema

    print_json(settings_schema.schema())


def _told(session: Session, edit: "Edit", as_json: bool) -> None:
    """Say what an edit did, and what it needs to count."""
    notes = [each for each in (_overridden(edit), _restart(session)) if each]
    if as_json:
        print_json(
            {
                "key": edit.key,
                "before": edit.before,
                "after": edit.after,
                "file": str(edit.file),
                "notes": notes,
            }
        )
        return
    before, after = (_shown(edit, value) for value in (edit.before, edit.after))
    print_text(f"{edit.key}: {before} → {after}  ({edit.file})")
    for note in notes:
        say(note)


def _shown(edit: "Edit", value: Any) -> str:
    from api.settings_values import shown

    return "default" if value is None else shown(edit.key, value)


def _overridden(edit: "Edit") -> str:
    return f"{edit.overridden_by} in the environment wins over it." if edit.overridden_by else ""


def _restart(session: Session) -> str:
    from api.cli import staleness
    from api.client import find

    service = find(session.data)
    if service is None:
        return ""
    return staleness.warning(service, session.environment, session.config_name)
