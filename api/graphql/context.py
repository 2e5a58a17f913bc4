"""Context: what every resolver of one request is handed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Concatenate, ParamSpec, TypeVar

import strawberry
from strawberry.dataloader import DataLoader

from api.ops import bridge, reading
from api.ops.garage import Caller, Garage
from api.ops.hall import Hall
from graphstore.errors import NotFound, Refused
from graphstore.reading import Document

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(slots=True)
class Context:
    """One request: who asks, and the hall to ask in."""

    hall: Hall
    caller: Caller
    version: str
    request_id: str
    may_write: bool = False
    writes: bool = field(init=False, default=False)
    """Whether something was written by it: then what fails is not begun anew by itself."""
    details: DataLoader[str, Document] = field(init=False)
    """Documents with all that their neighbours tell, by uid; asked for in batches."""

    def __post_init__(self) -> None:
        # No cache: a WebSocket keeps its context for as long as it lives.
        self.details = DataLoader(self._details, cache=False)

    def require_write(self) -> None:
        """Do nothing for a caller who may write.

        Raises:
            Refused: the caller's token may only read.
        """
        self.writes = True
        if not self.may_write:
            message = f"The token '{self.caller.name}' may only read."
            raise Refused(message, hint="Make one with 'garage token add NAME --write'.")

    async def run(
        self, operation: Callable[Concatenate[Garage, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run an operation once the service is ready for it."""
        return await bridge.call(
            lambda: self.hall.do(lambda g: operation(g, *args, **kwargs), repeats=not self.writes)
        )

    async def _details(self, uids: Sequence[str]) -> list[Document]:
        def find(garage: Garage) -> list[Document]:
            asked = tuple(dict.fromkeys(uids))
            found = {each.uid: each for each in reading.details(garage, asked)}
            missing = [uid for uid in asked if uid not in found]
            if missing:
                raise NotFound(f"The document '{missing[0]}' is gone.", hint="List them again.")
            return [found[uid] for uid in uids]

        return await self.run(find)


Info = strawberry.Info[Context, None]
