"""`garage memory core`: the three short blocks that every session of an assistant begins with."""

from pathlib import Path
from typing import Annotated, Any

import typer

from api.cli.options import Json, Revision, contents, text_or_pipe
from api.cli.output import print_json, print_text, say
from api.cli.session import session_of
from graphstore.errors import InvalidInput


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="What assistants know before anything else.",
        rich_markup_mode=None,
        no_args_is_help=True,
        add_completion=False,
    )
    group.command("show")(show)
    group.command("edit")(edit)
    app.add_typer(group, name="core")


def show(context: typer.Context, as_json: Json = False) -> None:
    """Show all blocks, with who wrote them."""
    found: Any = session_of(context).run("core_memory")
    if as_json:
        print_json(found)
        return
    for block in found["blocks"]:
        by = f", by {block['actor']}" if block["actor"] else ""
        print_text(f"# {block['name']} (revision {block['revision']}{by})")
        print_text(block["text"] or "(empty)")
    say(f"{found['bytes']:,} of {found['maxBytes']:,} bytes are used.")


def edit(
    context: typer.Context,
    block: Annotated[
        str, typer.Argument(metavar="BLOCK", help="persona, user or current_projects.")
    ],
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT|-]", help="All it is to say; a pipe is read.")
    ] = None,
    text_file: Annotated[
        Path | None, typer.Option("--text-file", help="A file that holds what it is to say.")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Let it say nothing.")] = False,
    revision: Revision = None,
    as_json: Json = False,
) -> None:
    """Let a block say something else from now on."""
    if (text is not None) + (text_file is not None) + clear > 1:
        message = "TEXT, --text-file and --clear say different things."
        raise InvalidInput(message, hint="Name one of them.")
    if text_file:
        said = contents(text_file)
    else:
        example = f"garage memory core edit {block} 'Short text.'"
        said = "" if clear else text_or_pipe(text, example)
    wish = {"block": block, "text": said, "expectedRevision": revision}
    done: Any = session_of(context).run("edit_core_memory", **wish)
    if as_json:
        print_json(done)
        return
    for each in done["blocks"]:
        if each["name"] == block:
            say(f"'{block}' has revision {each['revision']}.")
    say(f"{done['bytes']:,} of {done['maxBytes']:,} bytes are used.")
