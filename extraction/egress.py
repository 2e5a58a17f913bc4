"""Egress: the one door to the network, and the guard that stands before it.

Communication, and what is derived from it, never leaves the machine. Nothing here opens a
connection yet: the built-in embedders need none.
"""

from typing import Protocol

from graphstore import privacy
from graphstore.errors import Refused


class Destination(Protocol):
    """Where text would go: a provider of embeddings or of answers."""

    @property
    def name(self) -> str:
        """What the owner calls it."""
        ...

    @property
    def is_local(self) -> bool:
        """False when text that it is given leaves this machine."""
        ...


def assert_may_send(corpus_class: str, destination: Destination) -> None:
    """Do nothing when text of that class may be given to `destination`.

    Raises:
        Refused: it may not. A class that is not known may go nowhere but here.
    """
    if destination.is_local:
        return
    is_known = corpus_class in privacy.CLASSES
    if not is_known or not privacy.may_leave_the_machine(corpus_class):
        what = corpus_class if is_known else "text of an unknown class"
        raise Refused(
            f"{destination.name} is on another machine, and {what} never leaves this one.",
            hint="Use a provider on this machine for it.",
        )
