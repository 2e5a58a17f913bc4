"""Problems: domain errors as members of a result's union, each with what to do next."""

from dataclasses import dataclass
from typing import Any, Final

import strawberry
from strawberry.schema.exception_handlers import ExceptionHandler

from graphstore import errors


@strawberry.interface(description="Why a request was not done.")
class Problem:
    """What every problem says."""

    code: str = strawberry.field(description="A fixed word for the kind of problem.")
    message: str = strawberry.field(description="What happened, to what.")
    hint: str = strawberry.field(description="What to do next; may be empty.")


@strawberry.type(description="The thing named does not exist.")
class NotFound(Problem):
    """The thing named does not exist."""


@strawberry.type(description="An argument is outside its limits.")
class InvalidInput(Problem):
    """An argument is outside its limits."""


@strawberry.type(description="The thing is in another state than the request supposes.")
class Conflict(Problem):
    """The thing is in another state than the request supposes."""


@strawberry.type(description="Policy forbids it.")
class Refused(Problem):
    """Policy forbids it."""


@strawberry.type(description="A size limit was passed; the message names it.")
class TooLarge(Problem):
    """A size limit was passed; the message names it."""


@strawberry.type(description="A part that is needed does not answer.")
class Unavailable(Problem):
    """A part that is needed does not answer."""


MEMBERS: Final[dict[type[errors.GarageError], type[Problem]]] = {
    errors.NotFound: NotFound,
    errors.InvalidInput: InvalidInput,
    errors.Conflict: Conflict,
    errors.Refused: Refused,
    errors.TooLarge: TooLarge,
    errors.Unavailable: Unavailable,
}


@dataclass(frozen=True)
class _Handler:
    """Turns one kind of error into its member, wherever a result's union has it."""

    exception_type: type[errors.GarageError]
    error_type: type[Problem]

    def handle(self, exception: errors.GarageError, *, field: Any, info: Any) -> Problem:
        """Return the member of the union that stands for `exception`."""
        del field, info
        return self.error_type(code=exception.code, message=exception.message, hint=exception.hint)


def handlers() -> list[ExceptionHandler[Any, Any]]:
    """Return the handlers of every kind of problem."""
    return [_Handler(error, member) for error, member in MEMBERS.items()]


def of(error: errors.GarageError) -> Any:
    """Return the member that stands for an error; the nearest one for its subclasses."""
    kind = next(kind for kind in type(error).__mro__ if kind in MEMBERS)
    return MEMBERS[kind](code=error.code, message=error.message, hint=error.hint)
