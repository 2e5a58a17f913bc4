"""Sessions: transactions on Neo4j, with bounded retries and errors that a person can act on.

A unit of work given to `Graph.write` may run more than once: it must be idempotent, so every uid
and every moment in it is made before. No model is ever called inside one.
"""

import random  # noqa: TID251 - jitter of retries only
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, LiteralString, Self, TypeVar, cast

import neo4j
from neo4j import exceptions as neo4j_errors

from graphstore import queries
from graphstore.errors import GarageError, StoreBroken, StoreUnavailable
from graphstore.server import probe
from graphstore.settings import Connection
from graphstore.translation import HINT, LOST, Again, translated
from graphstore.watch import Patience, Watch

T = TypeVar("T")
Row = dict[str, Any]

_ATTEMPTS: Final = 8
_FIRST_PAUSE_S: Final = 0.05
_READ_TIMEOUT_S: Final = 30.0
_WRITE_TIMEOUT_S: Final = 60.0
_SCHEMA_TIMEOUT_S: Final = 330.0
"""More than `db.awaitIndexes` is given."""
_ATOMS: Final = frozenset({str, int, float, bool, type(None)})
"""Types of the driver's values that are plain already."""
_STATES: Final = {"POPULATING": "fills", "FAILED": "failed"}


class Transaction:
    """An open transaction. Runs statements by name and returns whole rows."""

    def __init__(self, transaction: neo4j.Transaction) -> None:
        self._transaction = transaction

    def run(
        self, name: str, substitutions: Mapping[str, str] | None = None, /, **parameters: object
    ) -> list[Row]:
        """Run the statement `name` and return its rows as plain values, times as `datetime`."""
        text = queries.get(name, **(substitutions or {}))
        return [_native(record) for record in self._transaction.run(text, dict(parameters))]


class Graph:
    """One Neo4j database. Thread-safe; owns its driver."""

    def __init__(self, connection: Connection, patience: Patience | None = None) -> None:
        self._database = connection.database
        self._address = connection.uri
        self._is_closed = False
        self._is_broken = False
        self._cause: GarageError | None = None
        self._require_room: Callable[[], None] = lambda: None
        self._unready: tuple[str, ...] = ()
        self._patience = patience or Patience()
        self._ask: Callable[[float], None] = partial(probe.ask, connection)
        self._watch = Watch(self._ask, self._patience)
        self._driver = neo4j.GraphDatabase.driver(
            connection.uri,
            auth=(connection.username, connection.password),
            telemetry_disabled=True,
            connection_timeout=5.0,
            connection_acquisition_timeout=self._patience.open_s,
            warn_notification_severity="OFF",
            notifications_min_severity="OFF",
        )

    @property
    def driver(self) -> neo4j.Driver:
        """The driver itself, for the libraries that want one (neomodel, neo4j-graphrag)."""
        return self._driver

    @property
    def database(self) -> str:
        """The name of the database."""
        return self._database

    @property
    def is_broken(self) -> bool:
        """Whether Neo4j said that it takes nothing more until it is started again."""
        return self._is_broken

    def guard_writes(self, require_room: Callable[[], None]) -> None:
        """Ask before every write from now on; what `require_room` raises refuses it."""
        self._require_room = require_room

    def require_room(self) -> None:
        """Do nothing while writes are taken.

        Raises:
            OutOfSpace: the disk is nearly full.
        """
        self._require_room()

    def look(self, seconds: float) -> None:
        """Return once Neo4j gave a sign of life on a connection of its own.

        Raises:
            StoreUnavailable: it gave none in time.
        """
        try:
            self._ask(seconds)
        except StoreBroken:
            self._is_broken = True
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection. What is under way, or comes later, is told so."""
        self._is_closed = True
        self._driver.close()

    def abandon(self, cause: GarageError) -> None:
        """Close every connection; what is under way, or comes later, is told the cause."""
        self._cause = cause
        self.close()

    def read(
        self, name: str, substitutions: Mapping[str, str] | None = None, /, **parameters: object
    ) -> list[Row]:
        """Run one statement in READ mode, which refuses every write, and return its rows."""
        query = neo4j.Query(queries.get(name, **(substitutions or {})), timeout=_READ_TIMEOUT_S)

        def once() -> list[Row]:
            # By itself it takes one round trip; in a transaction of ours it would take three.
            with self._watched(neo4j.READ_ACCESS, _READ_TIMEOUT_S) as session:
                return [_native(record) for record in session.run(query, dict(parameters))]

        return self._retried(once)

    def write(self, work: Callable[[Transaction], T], *, timeout_s: float = _WRITE_TIMEOUT_S) -> T:
        """Run `work` in one transaction and commit it; again when the server says it may be.

        When the reply to a commit is lost, `work` runs again: it is idempotent, so the result is
        there once either way.

        Raises:
            StoreUnavailable: Neo4j does not answer, or goes on failing.
            TooLarge: the transaction needs more memory than one may have.
            Conflict: a uniqueness constraint forbids it.
            OutOfSpace: the disk is nearly full; nothing was tried.
        """
        self._require_room()
        return self._retried(lambda: self._once(work, timeout_s))

    @property
    def unready_indexes(self) -> tuple[str, ...]:
        """What is not online of the indexes, as `name: state`; looked up only while some is not."""
        return self.look_at_indexes() if self._unready else ()

    def look_at_indexes(self) -> tuple[str, ...]:
        """Look which indexes are not online, now."""
        self._unready = tuple(
            f"{row['name']}: {_STATES.get(row['state'], row['state'])} ({row['progress']:.0f} %)"
            for row in self.read("schema/unready")
        )
        return self._unready

    def schema(self, statement: LiteralString, /, **parameters: object) -> list[Row]:
        """Run one schema statement, or a procedure, in a transaction of its own."""
        self._require_room()

        def once() -> list[Row]:
            with self._watched(neo4j.WRITE_ACCESS, _SCHEMA_TIMEOUT_S) as session:
                return [_native(record) for record in session.run(statement, dict(parameters))]

        return self._retried(once)

    @contextmanager
    def locked(self, name: str, *, at_most_s: float) -> Generator[None]:
        """Run a statement that takes a lock, and hold it for the block.

        The server frees the lock when this process dies.
        """
        self._require_room()
        with self._session(neo4j.WRITE_ACCESS) as session:

            def opened() -> neo4j.Transaction:
                with self._watch.over(session, at_most_s):
                    transaction = session.begin_transaction(timeout=at_most_s)
                    try:
                        Transaction(transaction).run(name)
                    except BaseException:
                        transaction.close()
                        raise
                    return transaction

            with self._retried(opened) as transaction:
                yield
                with self._watch.over(session, _WRITE_TIMEOUT_S):
                    transaction.commit()

    def _session(self, access: str) -> neo4j.Session:
        return self._driver.session(database=self._database, default_access_mode=access)

    @contextmanager
    def _watched(self, access: str, limit_s: float) -> Generator[neo4j.Session]:
        """Open a session whose every wait has an end."""
        session = self._session(access)
        with self._watch.over(session, limit_s) as call:
            try:
                with session:
                    yield session
            except LOST as error:
                if call.verdict == "frozen":
                    raise self._frozen() from error
                raise

    def _frozen(self) -> StoreUnavailable:
        silent_s = self._patience.quiet_s + self._patience.sign_s
        message = f"Neo4j at {self._address} gave no sign of life for {silent_s:g} s."
        return StoreUnavailable(message, hint=HINT)

    def _begin(self, session: neo4j.Session, timeout_s: float) -> neo4j.Transaction:
        return session.begin_transaction(timeout=timeout_s)

    def _commit(self, transaction: neo4j.Transaction) -> None:
        transaction.commit()

    def _once(self, work: Callable[[Transaction], T], timeout_s: float) -> T:
        with (
            self._watched(neo4j.WRITE_ACCESS, timeout_s) as session,
            self._begin(session, timeout_s) as opened,
        ):
            result = work(Transaction(opened))
            self._commit(opened)
            return result

    def _retried(self, once: Callable[[], T]) -> T:
        last_at = float("inf")
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with translated(self._address):
                    return once()
            except StoreBroken:
                self._is_broken = True
                # A full disk is the likely cause, and then the better thing to tell.
                self._require_room()
                raise
            except neo4j_errors.DriverError as error:
                if not self._is_closed:
                    raise
                if self._cause is not None:
                    raise self._cause from error
                message = f"The connection to Neo4j at {self._address} was closed."
                raise StoreUnavailable(message, hint=HINT) from error
            except Again as again:
                last_at = min(last_at, time.monotonic() + self._patience.retry_s)
                if attempt == _ATTEMPTS or time.monotonic() > last_at:
                    raise again.final from again.__cause__
                # Jitter keeps two writers that met in a deadlock from meeting again.
                jitter = random.uniform(0.5, 1.5)  # noqa: S311 - no secret
                time.sleep(_FIRST_PAUSE_S * 2 ** (attempt - 1) * jitter)
        raise AssertionError


def _native(record: neo4j.Record) -> Row:
    return {key: _plain(value) for key, value in zip(record.keys(), record.values(), strict=True)}


def _plain(value: Any) -> Any:
    """Return a value of the driver as plain Python; temporal values as `datetime`."""
    match value:
        case dict():
            # Most values are plain already: a lane brings a thousand, so they cost no call.
            items = cast("Row", value).items()
            return {k: item if type(item) in _ATOMS else _plain(item) for k, item in items}
        case list():
            return [_plain(item) for item in cast("list[Any]", value)]
        case _:
            return value.to_native() if hasattr(value, "to_native") else value
