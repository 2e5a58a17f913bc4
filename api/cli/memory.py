"""`garage memory`: what is remembered. What is typed here is the owner's word.

The text comes as an argument, from a file or from a pipe, and is never cut.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from api.cli import core, forgetting, suggestions
from api.cli.memory_output import print_memories, print_memory, print_recalled, tell_written
from api.cli.options import (
    Json,
    Many,
    OneClass,
    OneTrust,
    OnlySource,
    Revision,
    Sources,
    contents,
    moment,
    text_or_pipe,
)
from api.cli.output import print_json, print_table, print_text, say
from api.cli.session import Session, session_of
from graphstore.errors import InvalidInput, NotFound

Identity = Annotated[str, typer.Argument(metavar="ID", help="Id of the memory.")]
Expires = Annotated[
    str | None, typer.Option("--expires", metavar="DATE", help="Archived at this moment, in UTC.")
]
Kind = Annotated[
    str,
    typer.Option(
        help="fact, preference, decision, note, insight, thought, qa, lesson or todo.",
        autocompletion=suggestions.memory_kinds,
    ),
]
MaybeKind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        help="fact, preference, decision, note, insight, thought, qa, lesson or todo.",
        autocompletion=suggestions.memory_kinds,
    ),
]
Importance = Annotated[float | None, typer.Option(help="0 to 1.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="Remember, recall, change and forget.",
        rich_markup_mode=None,
        no_args_is_help=True,
        add_completion=False,
    )
    group.command("add")(add)
    group.command("list")(list_all)
    group.command("show")(show)
    group.command("edit")(edit)
    group.command("recall")(recall)
    group.command("confirm")(confirm)
    group.command("history")(history)
    group.command("undo")(undo)
    forgetting.register(group)
    core.register(group)
    app.add_typer(group, name="memory")


def add(
    context: typer.Context,
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT|-]", help="One idea; '-' or a pipe is read.")
    ] = None,
    title: Annotated[str, typer.Option(help="Else its first line.")] = "",
    tag: Annotated[Many, typer.Option(help="May be repeated.")] = None,
    source: Annotated[
        str, typer.Option(help="The store.", autocompletion=suggestions.sources)
    ] = "default",
    corpus_class: OneClass = "",
    trust: OneTrust = "",
    kind: Kind = "note",
    importance: Importance = None,
    subject: Annotated[Many, typer.Option(help="Who or what it is about; repeatable.")] = None,
    evidence: Annotated[
        Many, typer.Option(help="A document or a chunk that it rests on; may be repeated.")
    ] = None,
    expires: Expires = None,
    as_json: Json = False,
) -> None:
    """Remember something. It is found from then on, by words and by meaning."""
    session = session_of(context)
    done: Any = session.run(
        "remember",
        text=text_or_pipe(text, "garage memory add 'The key is under the mat.'"),
        title=title,
        tags=tag or [],
        source=source,
        corpusClass=corpus_class,
        trust=trust,
        kind=kind,
        importance=importance,
        subjects=subject or [],
        evidence=evidence or [],
        expiresAt=moment("--expires", expires),
    )
    _tell(done, "Remembered" if done["created"] else "Known already", as_json=as_json)


def list_all(
    context: typer.Context,
    source: OnlySource = None,
    tag: Annotated[str | None, typer.Option(help="Only with this tag.")] = None,
    kind: MaybeKind = None,
    status: Annotated[
        str | None,
        typer.Option(
            help="active, archived, superseded, resolved or dismissed.",
            autocompletion=suggestions.memory_states,
        ),
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(help="user, agent, dream or file.", autocompletion=suggestions.origins),
    ] = None,
    query: Annotated[
        str | None, typer.Option(help="Letters that the title or the text holds.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many, at most 100.")] = 20,
    after: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Go on after the page that ended so.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List what is remembered, last changed first."""
    session = session_of(context)
    wanted = {"source": source, "tag": tag, "kind": kind, "status": status, "origin": origin}
    page: Any = session.run("memories", **wanted, text=query, first=limit, after=after)
    if as_json:
        print_json(page)
    else:
        print_memories(session, page, is_narrowed=any((*wanted.values(), query)))


def show(context: typer.Context, identity: Identity, as_json: Json = False) -> None:
    """Show one memory, whole."""
    memory = _memory(session_of(context), identity)
    if as_json:
        print_json(memory)
    else:
        print_memory(memory)


def edit(
    context: typer.Context,
    identity: Identity,
    text: Annotated[
        str | None, typer.Option(help="What it says from now on; '-' reads it.")
    ] = None,
    text_file: Annotated[
        Path | None, typer.Option("--text-file", help="A file that holds what it is to say.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Empty = its first line again.")] = None,
    tag: Annotated[Many, typer.Option(help="Instead of its tags; may be repeated.")] = None,
    clear_tags: Annotated[bool, typer.Option("--clear-tags", help="Take its tags away.")] = False,
    kind: MaybeKind = None,
    importance: Importance = None,
    subject: Annotated[Many, typer.Option(help="Instead of its subjects; repeatable.")] = None,
    clear_subjects: Annotated[
        bool, typer.Option("--clear-subjects", help="Take its subjects away.")
    ] = False,
    expires: Expires = None,
    never_expires: Annotated[
        bool, typer.Option("--never-expires", help="Take the date away.")
    ] = False,
    revision: Revision = None,
    as_json: Json = False,
) -> None:
    """Change a memory; what is not named stays. What it said is kept: see 'memory undo'."""
    if text is not None and text_file is not None:
        raise InvalidInput("--text and --text-file say two things.", hint="Name one of them.")
    said = text_or_pipe(text, "") if text == "-" else text
    done: Any = session_of(context).run(
        "update_memory",
        id=identity,
        text=contents(text_file) if text_file else said,
        title=title,
        tags=_labels("--tag", tag, clears=clear_tags),
        kind=kind,
        importance=importance,
        subjects=_labels("--subject", subject, clears=clear_subjects),
        expiresAt=moment("--expires", expires),
        neverExpires=never_expires,
        expectedRevision=revision,
    )
    _tell(done, "Changed", as_json=as_json)


def recall(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question; '-' reads it.")],
    kind: Annotated[
        Many,
        typer.Option(
            help="Only of this kind; may be repeated.", autocompletion=suggestions.memory_kinds
        ),
    ] = None,
    source: Sources = None,
    limit: Annotated[int, typer.Option(help="How many, at most 50.")] = 10,
    as_of: Annotated[
        str | None, typer.Option(metavar="DATE", help="What was remembered then, in UTC.")
    ] = None,
    include_archived: Annotated[
        bool, typer.Option("--include-archived", help="Also what was archived or has expired.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Recall what answers a question. What comes back is thereby remembered longer."""
    session = session_of(context)
    found: Any = session.run(
        "recall",
        query=text_or_pipe(query, ""),
        kinds=kind or [],
        sources=source or [],
        limit=limit,
        asOf=moment("--as-of", as_of),
        includeArchived=include_archived,
    )
    if as_json:
        print_json(found)
    else:
        print_recalled(session, found)


def confirm(
    context: typer.Context, identity: Identity, revision: Revision = None, as_json: Json = False
) -> None:
    """Make a memory your own word: authored, of full weight."""
    done: Any = session_of(context).run("confirm_memory", id=identity, expectedRevision=revision)
    _tell(done, "Confirmed", as_json=as_json)


def history(context: typer.Context, identity: Identity, as_json: Json = False) -> None:
    """Show what a memory said before, newest first."""
    session = session_of(context)
    found: Any = session.run("memory_history", id=identity)
    if as_json:
        print_json(found)
        return
    if not found:
        say("It was never changed.")
        return
    rows = [
        (each["number"], each["at"][:19].replace("T", " "), each["client"], each["actor"], text)
        for each in found
        for text in [each["text"].partition("\n")[0]]
    ]
    print_table(("revision", "until", "said by", "replaced by", "text"), rows, session)
    say(f"To go back: garage memory undo {identity} --to {found[0]['number']}")


def undo(
    context: typer.Context,
    identity: Identity,
    to: Annotated[int | None, typer.Option("--to", help="A revision; else the one before.")] = None,
    revision: Revision = None,
    as_json: Json = False,
) -> None:
    """Make a memory say again what it said before. A second undo takes the first one back."""
    wish = {"id": identity, "number": to, "expectedRevision": revision}
    done: Any = session_of(context).run("undo_memory", **wish)
    _tell(done, "Taken back", as_json=as_json)


def _memory(session: Session, identity: str) -> Any:
    found: Any = session.run("memory", id=identity)
    if found is None:
        message = f"There is no memory '{identity}'."
        raise NotFound(message, hint="'garage memory list' shows their ids.")
    return found


def _labels(option: str, given: Many, *, clears: bool) -> list[str] | None:
    """Return labels as the schema takes them: null leaves them, an empty list clears them."""
    if given and clears:
        message = f"{option} and its --clear option say two things."
        raise InvalidInput(message, hint="Name one of them.")
    return [] if clears else given or None


def _tell(done: Any, what: str, *, as_json: bool) -> None:
    if as_json:
        print_json(done)
    else:
        print_text(done["memory"]["uid"])
        tell_written(done, what)
