"""Commands that find and read: `garage search`, `garage read`."""

import textwrap
from shutil import get_terminal_size
from typing import Annotated, Any, Final

import typer

from api.cli import suggestions
from api.cli.options import Classes, Json, Many, Sources, moment, read_standard_input
from api.cli.output import print_json, print_text, say, style
from api.cli.session import Session, session_of
from api.visible import safe, safe_line

_SNIPPET_LINES: Final = 4
_WIDTH: Final = 100


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("search")(search)
    app.command("read")(read)


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Any text; '-' reads it.")],
    limit: Annotated[int | None, typer.Option(help="How many hits, at most 100.")] = None,
    include: Annotated[
        Many,
        typer.Option(help="chunk, fact, memory or summary.", autocompletion=suggestions.hit_kinds),
    ] = None,
    source: Sources = None,
    corpus_class: Classes = None,
    trust: Annotated[
        Many,
        typer.Option(help="authored, received or reference.", autocompletion=suggestions.trusts),
    ] = None,
    mime: Annotated[Many, typer.Option(help="Media type, such as text/markdown.")] = None,
    author: Annotated[Many, typer.Option(help="Name or address of an author.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="Changed at or after this moment, in UTC.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="DATE", help="Changed before this moment, in UTC.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show why each hit came.")] = False,
    as_json: Json = False,
) -> None:
    """Search everything. Options that name values may be repeated."""
    session = session_of(context)
    result: Any = session.run(
        "search",
        query=read_standard_input() if query == "-" else query,
        limit=limit,
        include=include or [],
        sources=source or [],
        classes=corpus_class or [],
        trusts=trust or [],
        mimes=mime or [],
        authors=author or [],
        since=moment("--since", since),
        until=moment("--until", until),
        explain=explain,
    )
    if as_json:
        print_json(result)
        return
    print_result(session, result)
    if not result["hits"]:
        filters = {"--include": include, "--source": source, "--class": corpus_class}
        filters |= {"--trust": trust, "--mime": mime, "--author": author}
        filters |= {"--since": since, "--until": until}
        _tell_why_nothing(session, query, [name for name, value in filters.items() if value])


def read(
    context: typer.Context,
    document: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="Its uid, its uri, or its path.")
    ],
    start: Annotated[int, typer.Option(help="First character.")] = 0,
    max_characters: Annotated[int, typer.Option(help="How many characters at most.")] = 20_000,
    as_json: Json = False,
) -> None:
    """Print the text of a document."""
    variables = {"reference": document, "start": start, "maxCharacters": max_characters}
    passage: Any = session_of(context).run("read", **variables)
    if as_json:
        print_json(passage)
        return
    found = passage["document"]
    say(f"{safe_line(found['title'])} · {safe_line(found['uri'])}")
    print_text(passage["text"])
    if start and start >= passage["end"] and not passage["text"]:
        say(f"The text ends at character {passage['end']:,}.")
    elif passage["truncated"]:
        say(f"There is more: --start {passage['end']}")


def print_result(session: Session, result: Any) -> None:
    """Print the hits of a search, readable, and what to know about them."""
    for hit in result["hits"]:
        _print_hit(session, hit)
    if not result["hits"]:
        say("Nothing found.")
    elif result["lowConfidence"]:
        say("Probably nothing here answers this; these are the nearest.")
    if result["truncated"]:
        say("There are more hits: --limit shows up to 100.")
    for part in result["degraded"]:
        say(f"Not complete: {part}")


def _tell_why_nothing(session: Session, query: str, filters: list[str]) -> None:
    """Say what may be the reason, where there is one to see."""
    if not query.strip():
        say("The query is empty: type what you look for.")
    elif not sum(each["documents"] for each in session.run("sources")):
        say("Nothing is stored yet. Next: garage add-source SLUG ROOT, then garage ingest SLUG")
    elif filters:
        say(f"Only what passes {', '.join(filters)} was looked at; search without to see more.")


def _memory(hit: Any) -> list[str]:
    """Return who said a hit that is a memory, as far as it is not the owner's word."""
    if not hit["memoryId"]:
        return []
    return ["memory"] if hit["confirmed"] else [f"memory of {hit['client']}, not confirmed"]


def _print_hit(session: Session, hit: Any) -> None:
    width = min(get_terminal_size().columns, _WIDTH)
    title = safe_line(hit["title"])
    section = safe_line(hit["section"])
    below = section.removeprefix(title).removeprefix(" › ")
    place = f"{title} › {below}" if below else title
    print(f"{hit['rank']:>2}. {style(place, 'bold', session)}")
    facts = [
        hit["uri"],
        hit["changedAt"][:10],
        hit["corpusClass"],
        hit["trust"],
        *hit["authors"][:3],
        *_memory(hit),
    ]
    print(style(f"    {safe_line(' · '.join(facts))}", "dim", session))
    wrapped = textwrap.wrap(
        safe_line(safe(hit["snippet"])), width - 4, max_lines=_SNIPPET_LINES, placeholder=" …"
    )
    for line in wrapped:
        print(f"    {line}")
    if hit["lanes"]:
        lanes = [f"{each['lane']} #{each['rank']} ({each['score']:g})" for each in hit["lanes"]]
        print(style(f"    score {hit['score']:g}: {safe_line(', '.join(lanes))}", "dim", session))
    print()
