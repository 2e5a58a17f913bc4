"""Translation: what the driver's errors mean to whoever asked. Never the driver's own text.

`Again` stands for what another attempt may mend; everything else is final.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Final

from neo4j import exceptions as neo4j_errors

from graphstore.errors import (
    Conflict,
    GarageError,
    IndexUnavailable,
    StoreBroken,
    StoreUnavailable,
    TooLarge,
)

LOST: Final = (
    neo4j_errors.ServiceUnavailable,
    neo4j_errors.SessionExpired,
    neo4j_errors.ConnectionPoolError,
    ConnectionError,
)
"""The server cannot be reached. Other errors of the driver are faults of ours, and stay visible."""
HINT: Final = "'garage doctor' says more; so does logs/service.log in the data folder."

_MEMORY_STATUS: Final = frozenset({"51N70", "51N71", "51N72"})
_NO_INDEX: Final = "Neo.ClientError.Schema.IndexNotFound"
"""The index is not there, or is filling."""
_NO_TEXT_INDEX: Final = "no such fulltext schema index"
"""What the procedure says, which has no status of its own."""
_GONE: Final = "Neo.ClientError.Statement.EntityNotFound"
"""A statement met a node that another transaction removed between two of its steps."""
BROKEN: Final = frozenset(
    {
        "Neo.DatabaseError.Transaction.TransactionCommitFailed",
        "Neo.DatabaseError.Transaction.TransactionLogError",
        "Neo.DatabaseError.Transaction.TransactionStartFailed",
        "Neo.DatabaseError.General.StorageDamageDetected",
    }
)
"""After these the database takes nothing more, and says so of every transaction (a "panic").

Measured on a full disk: the first two for the transaction that met it, the third from then on.
"""


class Again(Exception):
    """The attempt failed in a way that another may not."""

    def __init__(self, final: GarageError) -> None:
        super().__init__(str(final))
        self.final = final


@contextmanager
def translated(address: str) -> Generator[None]:
    """Turn the driver's errors into ours: `Again` for those worth another attempt."""
    try:
        yield
    except neo4j_errors.IncompleteCommit as error:
        message = f"Neo4j at {address} did not say whether it committed."
        raise Again(StoreUnavailable(message, hint=HINT)) from error
    except neo4j_errors.AuthError as error:
        message = f"Neo4j at {address} refused the user name or password."
        raise StoreUnavailable(message, hint="Set NEO4J_USERNAME and NEO4J_PASSWORD.") from error
    except neo4j_errors.ConstraintError as error:
        message = "The graph already holds a node with this key."
        raise Conflict(message, hint="Read it again, then repeat the request.") from error
    except neo4j_errors.Neo4jError as error:
        raise _server_error(error, address) from error
    except LOST as error:
        message = f"Neo4j at {address} does not answer."
        raise Again(StoreUnavailable(message, hint=HINT)) from error


def _server_error(error: neo4j_errors.Neo4jError, address: str) -> Exception:
    if error.code == _NO_INDEX or _NO_TEXT_INDEX in str(error):
        message = "The index that this needs is missing or still filling."
        return IndexUnavailable(message, hint="'garage doctor --fix' makes it anew.")
    if _MEMORY_STATUS & set(_statuses(error)):
        message = "One transaction needs more memory than Neo4j gives it."
        return TooLarge(message, hint="Raise neo4j.heap_mb, or split the document.")
    if error.code in BROKEN:
        message = f"Neo4j at {address} met an error that only a restart mends ({error.code})."
        return StoreBroken(message, hint=f"What was acknowledged is stored. {HINT}")
    if error.code == _GONE:
        message = "What this reads is being removed at the same time, again and again."
        return Again(StoreUnavailable(message, hint="Try again in a minute."))
    if error.is_retryable():
        message = f"Neo4j at {address} goes on refusing this transaction: {error.code}."
        return Again(StoreUnavailable(message, hint="Try again in a minute."))
    return error


def _statuses(error: BaseException) -> Iterator[str]:
    """Yield the GQL status of an error and of its causes."""
    seen: BaseException | None = error
    while isinstance(seen, neo4j_errors.GqlError):
        yield seen.gql_status
        seen = seen.__cause__
