"""Calling: how every tool is offered, asks the operations, and words what fails."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, TypeVar

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from api.ops import bridge
from api.ops.garage import Caller, Garage
from api.ops.hall import Hall
from graphstore.errors import GarageError, InvalidInput

T = TypeVar("T")

DEADLINE_S: Final = 20.0
MAX_NAMES: Final = 50

CorpusClass = Literal["communication", "document", "code", "reference"]
Trust = Literal["authored", "received", "reference"]
Names = Annotated[tuple[str, ...], Field(max_length=MAX_NAMES)]


@dataclass(frozen=True, slots=True)
class ToolCard:
    """How a tool is offered; `name` is the method that does it."""

    name: str
    title: str
    description: str
    meta: dict[str, Any] | None = None
    writes: bool = False
    destroys: bool = False
    repeats: bool = True
    """Whether a second call with the same arguments changes nothing more."""
    takes_null: bool = False
    """Whether null says the same as an argument that is left out, as some clients send it."""

    @property
    def annotations(self) -> ToolAnnotations:
        """Say what the tool may do, on this machine."""
        return ToolAnnotations(
            read_only_hint=not self.writes,
            destructive_hint=self.destroys,
            idempotent_hint=self.repeats,
            open_world_hint=False,
        )


async def run(hall: Hall, operation: Callable[[Garage], T], timeout_s: float = DEADLINE_S) -> T:
    """Run an operation once the service is ready for it.

    Raises:
        ToolError: it failed, as `CODE: reason. Next: …`.
    """
    return await _run(hall, operation, timeout_s, repeats=False)


async def ask(hall: Hall, operation: Callable[[Garage], T]) -> T:
    """Run an operation that only reads: again, when Neo4j is started anew under it.

    Raises:
        ToolError: it failed, as `CODE: reason. Next: …`.
    """
    return await _run(hall, operation, DEADLINE_S, repeats=True)


def caller(ctx: Context[Any, Any]) -> Caller:
    """Return who asks: the door has put it into the request; in memory there is none."""
    request = ctx.request_context.request
    found = request.scope.get("garage.caller") if request is not None else None
    return found if isinstance(found, Caller) else Caller("in-memory", "mcp")


def moment(name: str, text: str) -> datetime | None:
    """Return a moment; a day is its beginning, and without a zone it is UTC.

    Raises:
        ToolError: it is none.
    """
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        fault = InvalidInput(
            f"{name} is no moment.", hint="Write 2026-03-01 or 2026-03-01T09:30:00+01:00."
        )
        raise failed(fault) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def failed(error: GarageError) -> ToolError:
    """Return an error of the operations as a model reads it."""
    following = f" Next: {error.hint}" if error.hint else ""
    return ToolError(f"{error.code}: {error.message}{following}")


def replied(reply: Any, word: Callable[[Any], str]) -> CallToolResult:
    """Return a reply as structured content with a short text."""
    return CallToolResult(
        content=[TextContent(type="text", text=word(reply))],
        structured_content=dataclasses.asdict(reply),
    )


async def _run(
    hall: Hall, operation: Callable[[Garage], T], timeout_s: float, *, repeats: bool
) -> T:
    try:
        return await bridge.call(lambda: hall.do(operation, repeats=repeats), timeout_s=timeout_s)
    except GarageError as error:
        raise failed(error) from error
