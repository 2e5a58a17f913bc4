"""Options that several commands share, each said once."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON; errors too.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="Name of the source.")]
