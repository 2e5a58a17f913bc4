"""Commands about what is kept: sources, their documents, and what became of each file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from api.amounts import amount
from api.cli import asking, suggestions
from api.cli.options import Json, OneClass, OneTrust, OnlySource, Slug, Yes
from api.cli.output import print_json, print_table, say
from api.cli.session import Session, session_of
from graphstore.errors import InvalidInput, Unavailable
from graphstore.records import STORE


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("add-source")(add_source)
    app.command("sources")(sources)
    app.command("remove-source")(remove_source)
    app.command("documents")(documents)
    app.command("files")(files)


def add_source(
    context: typer.Context,
    slug: Annotated[str | None, typer.Argument(metavar="SLUG", help="Name of the source.")] = None,
    root: Annotated[
        str | None,
        typer.Argument(metavar="ROOT", help="Folder or file; memory:// is a store of memories."),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            help="filesystem, git, maildir, mbox, inbox or memory; else found out.",
            autocompletion=suggestions.source_kinds,
        ),
    ] = "",
    corpus_class: OneClass = "",
    trust: OneTrust = "",
    ignore: Annotated[
        list[str] | None,
        typer.Option(help="Pattern to leave out, as in .gitignore; may be repeated."),
    ] = None,
    pattern: Annotated[
        list[str] | None,
        typer.Option(help="Kind memory: a further file; '!' in front takes away. Repeatable."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(help="Kind memory: a tag of every memory file; may be repeated."),
    ] = None,
    presets: Annotated[
        bool, typer.Option("--presets", help="List folders of memory files to add; add nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Add a source, or change the one of this name. Nothing is read yet."""
    if presets:
        _list_presets(session_of(context), as_json=as_json)
        return
    if slug is None or root is None:
        message = "Missing argument 'SLUG'." if slug is None else "Missing argument 'ROOT'."
        raise InvalidInput(message, hint="garage add-source notes ~/notes; --presets lists some.")
    draft = {
        "slug": slug,
        "root": _rooted(root),
        "kind": kind,
        "defaultClass": corpus_class,
        "defaultTrust": trust,
        "ignore": ignore or [],
        "patterns": pattern or [],
        "tags": tag or [],
    }
    added: Any = session_of(context).run("add_source", **draft)
    if as_json:
        print_json(added)
        return
    source: Any = added["source"]
    done = "Added" if added["created"] else "Changed"
    what = ", ".join(source[key] for key in ("kind", "defaultClass", "defaultTrust"))
    say(f"{done} the source '{source['slug']}': {source['root']} ({what}).")
    for warning in added["warnings"]:
        say(f"Note: {warning}")
    is_store = source["root"] == STORE
    say(f"Next: garage {'memory add --source' if is_store else 'ingest'} {source['slug']}")


def _rooted(root: str) -> str:
    """Return a root as the service takes it: absolute, or the address of a store."""
    return root if root == STORE else str(Path(root).expanduser().absolute())


def _list_presets(session: Session, *, as_json: bool) -> None:
    found: Any = session.run("source_presets")
    if as_json:
        print_json(found)
        return
    rows = [
        (each["slug"], each["root"], "yes" if each["there"] else "no", state, each["about"])
        for each in found
        for state in ["yes" if each["added"] else "no"]
    ]
    print_table(("name", "folder", "there", "added", "what it is"), rows, session)
    for each in found:
        if each["there"] and not each["added"]:
            named = "".join(f" --pattern '{pattern}'" for pattern in each["patterns"])
            say(f"Next: garage add-source {each['slug']} '{each['root']}' --kind memory{named}")


def sources(context: typer.Context, as_json: Json = False) -> None:
    """List the sources, with how much came from each."""
    session = session_of(context)
    found: Any = session.run("sources")
    if as_json:
        print_json(found)
        return
    if not found:
        say("There are no sources yet. Next: garage add-source SLUG ROOT")
        return
    keys = ("slug", "kind", "defaultClass", "defaultTrust", "standing")
    rows = [[*(each[key] for key in (*keys, "documents", "chunks", "root"))] for each in found]
    headers = ("source", "kind", "class", "trust", "standing", "documents", "chunks", "root")
    print_table(headers, rows, session)


def remove_source(
    context: typer.Context,
    slug: Slug,
    keep_documents: Annotated[
        bool,
        typer.Option("--keep-documents", help="Move its documents to the source 'kept'."),
    ] = False,
    discard_kept: Annotated[
        bool,
        typer.Option("--discard-kept", help="Remove the source 'kept' with its documents."),
    ] = False,
    reason: Annotated[str, typer.Option(help="Why; kept in the log.")] = "",
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove a source with everything that came from it. Its files stay where they are."""
    session = session_of(context)
    if not yes:
        discard_kept |= _ask_to_remove(session, slug, keeps=keep_documents)
    wish = {"keepDocuments": keep_documents, "discardKept": discard_kept}
    removed = _removed(session, {"slug": slug, "reason": reason, **wish})
    if as_json:
        print_json(removed)
    else:
        _tell_removed(removed)


def documents(
    context: typer.Context,
    source: OnlySource = None,
    first: Annotated[int, typer.Option(help="How many, at most 100.")] = 20,
    after: Annotated[
        str | None, typer.Option(metavar="CURSOR", help="Go on after the page that ended so.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the documents, last changed first."""
    session = session_of(context)
    page: Any = session.run("documents", source=source, first=first, after=after)
    if as_json:
        print_json(page)
        return
    nodes = [edge["node"] for edge in page["edges"]]
    rows = [(each["changedAt"][:10], each["uri"], each["title"], each["mime"]) for each in nodes]
    headers = ("changed", "uri", "title", "mime")
    print_table(headers, rows, session, empty="There are no documents here.")
    if page["pageInfo"]["hasNextPage"]:
        say(f"There are more: --after {page['pageInfo']['endCursor']}")


def files(
    context: typer.Context,
    slug: Annotated[
        str | None,
        typer.Argument(
            metavar="[SLUG]", help="Only of this source.", autocompletion=suggestions.sources
        ),
    ] = None,
    state: Annotated[
        list[str] | None,
        typer.Option(
            help="stored, skipped, too_large, failed or removed; may be repeated.",
            autocompletion=suggestions.outcomes,
        ),
    ] = None,
    limit: Annotated[int, typer.Option(help="How many at most.")] = 1_000,
    as_json: Json = False,
) -> None:
    """Show what became of each file, and why."""
    session = session_of(context)
    found: Any = session.run("files", source=slug, states=state or [], limit=limit)
    if as_json:
        print_json(found)
        return
    rows = [(each["source"], each["path"], each["state"], each["reason"]) for each in found]
    headers = ("source", "path", "state", "why")
    print_table(headers, rows, session, empty="No file is in such a state.")
    if len(found) == limit:
        say(f"These are the first {limit:,}; --limit shows more.")


def _ask_to_remove(session: Session, slug: str, *, keeps: bool) -> bool:
    """Ask with the counts; return whether the kept documents were given up by name."""
    source: Any = session.run("source", slug=slug)
    if source is None:
        return False  # the service says it better, with the error's code
    what = f"{amount(source['documents'], 'document')} and {amount(source['chunks'], 'chunk')}"
    if source["standing"] == "kept":
        question = f"This removes {what} that were kept on purpose. Type '{slug}' to go on"
        asking.typed(question, slug, "Nothing was removed.")
        return True
    rest = f"The files in {source['root']} stay."
    if keeps:
        question = f"Remove the source '{slug}' and keep its {what} in the source 'kept'? {rest}"
    else:
        question = f"Remove the source '{slug}' with {what}? {rest}"
    asking.agreed(question, "Nothing was removed.")
    return False


def _removed(session: Session, wish: dict[str, Any]) -> Any:
    """Return what a removal did in the end; a long one is asked for again and again."""
    removed: Any = session.run("remove_source", **wish)
    halted: bool = removed["halted"]
    while not removed["finished"]:
        remaining: int = removed["remaining"]
        say(f"{amount(remaining, 'document')} to go.")
        removed = session.run("remove_source", **wish)
        if not removed["finished"] and removed["remaining"] >= remaining:
            message = f"The removal of '{wish['slug']}' gets no further; {remaining:,} remain."
            raise Unavailable(message, hint="'garage status' says how the service stands.")
    return {**removed, "halted": halted or removed["halted"]}


def _tell_removed(removed: Any) -> None:
    if removed["halted"]:
        say("An ingest of it was under way; it was stopped.")
    gone = f"{amount(removed['documents'], 'document')}, {amount(removed['chunks'], 'chunk')}"
    say(f"Removed the source '{removed['slug']}': {gone}.")
    if removed["keptDocuments"]:
        kept = removed["kept"] or {"slug": "kept", "documents": 0}
        say(
            f"Kept {amount(removed['keptDocuments'], 'document')}, "
            f"{amount(removed['keptChunks'], 'chunk')} in the "
            f"source '{kept['slug']}', which now holds {kept['documents']:,}."
        )
    if removed["declared"]:
        say("garage.json still declares it: take it out there, or the next start adds it again.")
