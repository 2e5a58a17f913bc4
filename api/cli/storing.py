"""`garage store`: a whole text, kept byte for byte."""

from pathlib import Path
from typing import Annotated, Any

import typer

from api.cli import suggestions
from api.cli.memory_output import tell_embedded
from api.cli.options import Json, Many, OneClass, contents
from api.cli.output import print_json, print_text, say
from api.cli.session import session_of


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("store")(store)


def store(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE|-]", help="The text; '-' or a pipe is read.")
    ] = None,
    title: Annotated[str, typer.Option(help="Else its first line.")] = "",
    kind: Annotated[
        str,
        typer.Option(
            help="note, conversation, clipping, decision or reference.",
            autocompletion=suggestions.text_kinds,
        ),
    ] = "note",
    corpus_class: OneClass = "",
    subject: Annotated[Many, typer.Option(help="Who or what it is about; repeatable.")] = None,
    category: Annotated[str, typer.Option(help="Where it belongs.")] = "",
    distil: Annotated[
        str,
        typer.Option(
            help="What is made of it: queue, now (a minute at most) or none.",
            autocompletion=suggestions.distillings,
        ),
    ] = "queue",
    remember: Annotated[
        bool, typer.Option("--remember", help="Also make a memory that points at it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Keep a whole text as it is, at most 256 KiB; it is found like every document."""
    done: Any = session_of(context).run(
        "store",
        text=contents(file),
        title=title,
        kind=kind,
        corpusClass=corpus_class,
        subjects=subject or [],
        category=category,
        distil=distil,
        remember=remember,
    )
    if as_json:
        print_json(done)
        return
    document = done["document"]
    print_text(document["uid"])
    told = "Stored" if done["created"] else "This very text is there already"
    say(f"{told}: {document['title']} ({document['characters']:,} characters)")
    tell_embedded(done["embeddedModels"], done["pendingModels"])
    if done["memory"]:
        say(f"Memory {done['memory']['uid']} points at it.")
    for note in done["notes"]:
        say(f"Note: {note}")
