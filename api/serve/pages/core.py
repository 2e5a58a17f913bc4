"""Core: the blocks that every session of an assistant begins with, each with a form of its own."""

from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from api.ops import core_memory
from api.ops.core_memory import BLOCKS, MAX_BYTES, EarlierBlock
from api.ops.garage import Caller, Garage
from api.serve.pages.desk import STATUS, Desk
from api.serve.pages.posted import Sent, see
from api.serve.pages.rendering import page
from graphstore.core_blocks import Block
from graphstore.errors import Conflict, InvalidInput, TooLarge

NAMES: Final = {
    "persona": ("How to work here", "How an assistant is to speak and to work."),
    "user": ("Who you are", "What every assistant should know of you."),
    "current_projects": ("What you are at", "Projects of these weeks, and how they stand."),
}
"""What each block is called, and is for."""


@dataclass(frozen=True, slots=True)
class Told:
    """What became of a form that was not saved."""

    block: str
    typed: str
    problem: InvalidInput | TooLarge | Conflict


@dataclass(frozen=True, slots=True)
class Shown:
    """A block as the page shows it."""

    block: Block
    title: str
    purpose: str
    typed: str
    """What the form holds: the block, or what could not be saved."""
    others: int
    """Bytes of the other blocks."""
    earlier: tuple[EarlierBlock, ...]
    problem: InvalidInput | TooLarge | Conflict | None


class CorePage:
    """The page of core memory."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def show(self, request: Request) -> Response:
        """Show the blocks."""
        asked = request.query_params.get("saved", "")
        return await self._page(saved=NAMES[asked][0] if asked in NAMES else "")

    async def write(self, caller: Caller, sent: Sent) -> Response:
        """Let a block say what its form holds."""
        block, text, revision = sent.one("block"), sent.one("text"), sent.number("revision")
        if block not in BLOCKS:
            raise InvalidInput(f"block is '{block}'.", hint=f"It may be: {', '.join(BLOCKS)}.")
        try:
            await self._desk.run(core_memory.edit, caller, block, text, revision)
        except (InvalidInput, TooLarge, Conflict) as error:
            return await self._page(Told(block, text, error))
        return see("/memories/core", saved=block)

    async def _page(self, told: Told | None = None, saved: str = "") -> Response:
        shown, used = await self._desk.run(_shown, told)
        status = 200 if told is None else STATUS[type(told.problem)]
        more: dict[str, Any] = {"most": MAX_BYTES, "used": used, "saved": saved}
        return page("core.html", status, blocks=shown, **more)


def _shown(garage: Garage, told: Told | None) -> tuple[list[Shown], int]:
    core = core_memory.read(garage)
    return [_block(garage, core.bytes, each, told) for each in core.blocks], core.bytes


def _block(garage: Garage, used: int, block: Block, told: Told | None) -> Shown:
    mine = told if told and told.block == block.name else None
    title, purpose = NAMES[block.name]
    return Shown(
        block=block,
        title=title,
        purpose=purpose,
        typed=mine.typed if mine else block.text,
        others=used - len(block.text.encode()),
        earlier=core_memory.history(garage, block.name),
        problem=mine.problem if mine else None,
    )
