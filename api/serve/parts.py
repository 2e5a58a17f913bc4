"""Parts: the heavy state of a service, put together in order, each named before it is begun."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread

from api.ops import backfill, sources
from api.ops.distilling import Distiller
from api.ops.garage import SERVICE, Garage
from api.ops.handling import Handler
from api.ops.sources import SourceRequest
from api.serve.head_start import HeadStart, server_of
from api.settings import Loaded, Settings
from extraction.facts.apart import ApartExtractor
from extraction.providers import registry
from extraction.providers.base import Embedder
from extraction.readers import Readers
from graphstore import exercise, outcomes, schema
from graphstore.clock import Clock
from graphstore.errors import Conflict, GarageError, InvalidInput, StoreUnavailable
from graphstore.room import MIB, Room
from graphstore.server import jars, probe
from graphstore.server.process import ManagedServer
from graphstore.session import Graph
from graphstore.settings import Connection, ServerSettings

_LOG = logging.getLogger(__name__)

WORKER = "service"
"""Who runs the ingest runs of this data folder."""


@dataclass(frozen=True, slots=True)
class Making:
    """What the parts are made from."""

    loaded: Loaded
    environment: dict[str, str]
    clock: Clock
    wait_for: Callable[[str], None]
    """Hears what is being waited for."""
    wake_embedding: Callable[[], None]
    when_idle: Callable[[Callable[[], object]], None]
    """Takes work that can wait until nobody needs anything."""
    watch: Callable[[ManagedServer], None]
    """Is given the server that this process runs, to notice when it ends by itself."""
    begun: HeadStart | None = None
    """The server, where it starts already."""


def make(making: Making, stack: ExitStack) -> Garage:
    """Put everything together; `stack` closes it again, in reverse order.

    Raises:
        StoreUnavailable: Neo4j does not start or answer.
        Unavailable: something that set-up fetches is not there.
        Conflict: the database belongs to a newer Garage.
    """
    settings = making.loaded.settings
    with ThreadPoolExecutor(max_workers=1) as pool:
        # The models load while the JVM starts.
        loading = pool.submit(_embedders, making)
        connection = _connection(making, stack)
        embedders = loading.result()
    graph = stack.enter_context(Graph(connection))
    # Nobody waits for it; a close of the graph ends it.
    Thread(target=exercise.warm, args=(graph,), name="warming", daemon=True).start()
    making.wait_for("Preparing the schema")
    schema.apply(graph, making.clock)
    garage = Garage(
        graph=graph,
        readers=stack.enter_context(Readers(settings.reading)),
        reading=settings.reading,
        embedders=embedders,
        settings=settings.ops,
        clock=making.clock,
        wake_embedding=making.wake_embedding,
        handlers=_handlers(settings, stack),
    )
    outcomes.interrupt_runs(graph, WORKER, making.clock.now())
    making.wait_for("Preparing the vector indexes")
    backfill.register(garage)
    sources.set_up(garage)
    _declare(garage, settings)
    if not settings.neo4j.uri:
        # From here on: what a start itself writes is little, and reads need it.
        graph.guard_writes(room_of(making.loaded).require)
    return garage


def room_of(loaded: Loaded) -> Room:
    """Return the space that the data folder has left for our Neo4j."""
    return Room(loaded.data_folder, loaded.settings.neo4j.keep_free_mb * MIB)


def fetch(loaded: Loaded, environment: dict[str, str], report: Callable[[str], None]) -> None:
    """Fetch what set-up needs, where it is not there yet: models, web assets, a Neo4j to run."""
    settings = loaded.settings.neo4j
    repository = settings.maven_repository
    for part in ("web",) if settings.uri else ("neo4j", "web"):
        jars.fetch(part, loaded.cache_folder, repository, report, environment)
    found = jars.fetch("embedder", loaded.cache_folder, repository, report, environment)
    for name in loaded.settings.embedding.models:
        registry.unpack(name, found, loaded.cache_folder)


def connection_to(settings: ServerSettings) -> Connection:
    """Return how to reach the server that the settings name."""
    password = settings.password or ""
    if settings.password_file:
        lines = Path(settings.password_file).expanduser().read_text(encoding="utf-8").splitlines()
        password = lines[0] if lines else ""
    return Connection(settings.uri or "", settings.username, password, settings.database)


def absence(settings: ServerSettings) -> StoreUnavailable | None:
    """Return why the owner's server is not there; None when one answers, be it to refuse us."""
    try:
        probe.probe(connection_to(settings))
    except StoreUnavailable as error:
        return error
    except GarageError:
        return None
    return None


def crampedness(loaded: Loaded) -> StoreUnavailable | None:
    """Return why our Neo4j cannot be started for want of space; None when there is enough."""
    try:
        room_of(loaded).require_to_start()
    except StoreUnavailable as error:
        return error
    return None


def _connection(making: Making, stack: ExitStack) -> Connection:
    settings = making.loaded.settings.neo4j
    if settings.uri:
        making.wait_for(f"Connecting to Neo4j at {settings.uri}")
        connection = connection_to(settings)
        probe.probe(connection)
        return connection
    making.wait_for("Starting Neo4j")
    if making.begun is not None:
        server = making.begun.server
        connection = making.begun.connection.result()
    else:
        server = server_of(making.loaded, making.environment, making.wait_for)
        stack.callback(server.stop)
        connection = server.start()
    making.watch(server)
    making.when_idle(partial(server.train, partial(exercise.run, clock=making.clock)))
    return connection


def _handlers(settings: Settings, stack: ExitStack) -> tuple[Handler, ...]:
    """Return what works the queue; nothing is started before its first job."""
    if not settings.ops.work.facts:
        return ()
    return (Distiller(stack.enter_context(ApartExtractor())),)


def _embedders(making: Making) -> tuple[Embedder, ...]:
    loaded = making.loaded
    repository = loaded.settings.neo4j.maven_repository
    found = jars.fetch(
        "embedder", loaded.cache_folder, repository, making.wait_for, making.environment
    )
    return registry.open_embedders(loaded.settings.embedding, found, loaded.cache_folder)


def _declare(garage: Garage, settings: Settings) -> None:
    """Add the sources that the settings file declares; one that cannot be is told in the log."""
    for source in settings.sources:
        request = SourceRequest(
            slug=source.slug,
            root=str(Path(source.root).expanduser()),
            kind=source.kind,
            default_class=source.corpus_class,
            default_trust=source.trust,
            ignore=source.ignore,
            patterns=source.patterns,
            tags=source.tags,
            declared=True,
        )
        try:
            sources.declare(garage, SERVICE, request)
        except (InvalidInput, Conflict) as error:
            _LOG.warning("The source '%s' of the settings file: %s", source.slug, error)
    gone = sources.undeclare(garage, SERVICE, [source.slug for source in settings.sources])
    for slug in gone:
        _LOG.info("The source '%s' is no longer in the settings file; it is kept as it is.", slug)
