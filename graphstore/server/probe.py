"""A look at a Neo4j server, ours or not: does it answer, who is it, can it do what we need?

Every question has an end, even when the server is frozen or something else listens there.
"""

import logging
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import neo4j
from neo4j.exceptions import (
    ClientError,
    ConfigurationError,
    DriverError,
    Neo4jError,
    UnsupportedServerProduct,
)

from graphstore.errors import (
    GarageError,
    InvalidInput,
    NotFound,
    Refused,
    StoreBroken,
    StoreUnavailable,
)
from graphstore.server import strangers
from graphstore.settings import Connection
from graphstore.translation import BROKEN

T = TypeVar("T")

# Our messages say what happened; without a handler the driver would print its own to stderr.
logging.getLogger("neo4j").addHandler(logging.NullHandler())

DEADLINE_S: Final = 5.0
OLDEST: Final = (2026, 6)
"""The first Neo4j that takes `IN` in the filter of a vector search."""

# Asked of any server, also of one that we then refuse: so they are here, not among the queries.
_COMPONENTS: Final = "CALL dbms.components() YIELD name, versions, edition"
_SEARCH: Final = (
    "CYPHER 25 EXPLAIN MATCH (n:GarageProbe) SEARCH n IN (VECTOR INDEX garage_probe "
    "FOR [1.0] WHERE n.kind IN ['a', 'b'] LIMIT 1) SCORE AS score RETURN score"
)
_VERSION: Final = re.compile(r"(\d{1,4})\.(\d{1,2})")
_SYNTAX: Final = "Neo.ClientError.Statement.SyntaxError"

_UNAUTHORIZED: Final = "Neo.ClientError.Security.Unauthorized"
_LOGIN: Final = "Set NEO4J_USERNAME and NEO4J_PASSWORD to those of the server."
_ANSWERS: Final[Mapping[str | None, tuple[type[GarageError], str, str]]] = {
    _UNAUTHORIZED: (
        Refused,
        "Neo4j at {where} refused the password of user {user!r}.",
        _LOGIN,
    ),
    "Neo.ClientError.Security.AuthenticationRateLimit": (
        Refused,
        "Neo4j at {where} has locked user {user!r} for a moment: too many wrong passwords.",
        f"Wait some seconds. {_LOGIN}",
    ),
    "Neo.ClientError.Security.CredentialsExpired": (
        Refused,
        "Neo4j at {where} wants a new password for user {user!r} first.",
        "Change it in the server, then set NEO4J_PASSWORD.",
    ),
    "Neo.ClientError.Database.DatabaseNotFound": (
        NotFound,
        "Neo4j at {where} has no database {database!r}.",
        "Correct neo4j.database.",
    ),
}


@dataclass(frozen=True, slots=True)
class ServerFeatures:
    """What a server is and can do."""

    version: str
    edition: str
    has_vector_search: bool
    """It takes `SEARCH` on a vector index with `IN` in its filter."""


def probe(connection: Connection, seconds: float = DEADLINE_S) -> ServerFeatures:
    """Return what the server is and can do, within `seconds`.

    Raises:
        StoreUnavailable: nothing answers there in time, or something that is not Neo4j.
        Refused: the password is wrong, or the server is older than we can use.
        NotFound: the server has no such database.
        InvalidInput: the address is not one of a Neo4j server.
    """
    return _within(seconds, connection, _look)


def ask(connection: Connection, seconds: float) -> None:
    """Return once a query on the database answered; raise like `probe` when none does in time."""
    _within(seconds, connection, _echo)


def _echo(session: neo4j.Session) -> bool:
    session.run("RETURN 1").consume()
    return True


def _look(session: neo4j.Session) -> ServerFeatures:
    rows = {row["name"]: row for row in session.run(_COMPONENTS).data()}
    kernel: Mapping[str, Any] = rows.get("Neo4j Kernel", {})
    version = str((kernel.get("versions") or ["unknown"])[0])
    # Aura names no version of its own, so there the search itself decides.
    if not version.endswith("-aura") and _parsed(version) < OLDEST:
        needed = ".".join(f"{part:02}" for part in OLDEST)
        message = (
            f"Neo4j {version} is too old: Garage needs {needed} or newer, "
            "the first with IN in the filter of a vector search."
        )
        raise Refused(
            message, hint="Upgrade the server, or unset neo4j.uri (NEO4J_URI) to use Garage's own."
        )
    return ServerFeatures(version, str(kernel.get("edition", "unknown")), _searches(session))


def _searches(session: neo4j.Session) -> bool:
    try:
        session.run(_SEARCH).consume()
    except ClientError as error:
        # The index is not there, which is no matter; that the grammar knows the words is.
        return error.code != _SYNTAX
    return True


def _parsed(version: str) -> tuple[int, int]:
    found = _VERSION.match(version)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _within(seconds: float, connection: Connection, question: Callable[[neo4j.Session], T]) -> T:
    """Put the question in a thread of its own, which is left behind when no answer comes.

    The driver bounds the handshake, but has no deadline for a result.
    """
    answers: list[T] = []
    failures: list[Exception] = []

    def converse() -> None:
        try:
            with (
                _driver(connection, seconds) as driver,
                driver.session(database=connection.database) as session,
            ):
                answers.append(question(session))
        except (DriverError, Neo4jError, GarageError, ValueError, OSError) as error:
            failures.append(error)

    thread = threading.Thread(target=converse, name="garage-probe", daemon=True)
    thread.start()
    thread.join(seconds)
    if answers:
        return answers[0]
    where = _where(connection)
    if not failures:
        raise _silent(where, seconds)
    raise _explained(failures[0], where, connection, seconds) from failures[0]


def _driver(connection: Connection, seconds: float) -> neo4j.Driver:
    return neo4j.GraphDatabase.driver(
        connection.uri,
        auth=(connection.username, connection.password),
        telemetry_disabled=True,
        notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF,
        connection_timeout=seconds,
        connection_acquisition_timeout=seconds,
    )


def _explained(error: Exception, where: str, connection: Connection, seconds: float) -> GarageError:
    """Return what the driver's error means to the owner. Never the driver's own text."""
    if isinstance(error, GarageError):
        return error
    code = error.code if isinstance(error, Neo4jError) else ""
    if code == _UNAUTHORIZED and not connection.password:
        message = f"Neo4j at {where} wants a password, and none is set."
        return Refused(message, hint="Set NEO4J_PASSWORD, or neo4j.password_file.")
    if code in _ANSWERS:
        kind, message, hint = _ANSWERS[code]
        named = {"where": where, "user": connection.username, "database": connection.database}
        return kind(message.format(**named), hint=hint)
    if isinstance(error, UnsupportedServerProduct):
        return _foreign(where)
    if isinstance(error, (ConfigurationError, ValueError)):
        message = f"{where} is not the address of a Neo4j server."
        return InvalidInput(message, hint="Use bolt://host:port, neo4j:// or neo4j+s://.")
    if isinstance(error, Neo4jError):
        message = f"Neo4j at {where} cannot serve the database {connection.database!r} ({code})."
        kind = StoreBroken if code in BROKEN else StoreUnavailable
        return kind(message, hint="Run 'garage doctor'.")
    causes = tuple(_causes(error))
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        message = f"Nothing listens at {where}."
        return StoreUnavailable(
            message, hint="Start the server there, or correct neo4j.uri (NEO4J_URI)."
        )
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        message = f"The host of {where} is not found."
        return StoreUnavailable(
            message, hint="Correct the host in neo4j.uri (NEO4J_URI), or the network."
        )
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return _silent(where, seconds)
    return _foreign(where)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _silent(where: str, seconds: float) -> StoreUnavailable:
    if strangers.is_web_server(where):
        return _foreign(where)
    message = f"Neo4j at {where} did not answer in {seconds:g} s."
    return StoreUnavailable(message, hint="Check that it runs and is reachable: 'garage doctor'.")


def _foreign(where: str) -> StoreUnavailable:
    if strangers.is_web_server(where):
        message = f"{where} is not a Bolt port: a web server listens there."
        return StoreUnavailable(
            message, hint="Correct the port in neo4j.uri (NEO4J_URI): Bolt, 7687."
        )
    message = f"What listens at {where} does not answer as a Neo4j server: another program?"
    return StoreUnavailable(
        message, hint="Correct the port in neo4j.uri (NEO4J_URI): Bolt, 7687, not HTTP."
    )


def _where(connection: Connection) -> str:
    """Return the address without a user or password that someone may have put into it."""
    scheme, rest = connection.uri.partition("://")[::2]
    return f"{scheme}://{rest.rpartition('@')[2].partition('/')[0].partition('?')[0]}"
