"""Exercise: what a JVM is put through before a person waits for it.

In training, so that its cache knows what a first search needs; at a start, so that the plans of
that search are made while the service is still being put together.
"""

from graphstore import embedding_models, journal, lanes, reading, schema, search_log
from graphstore.clock import Clock, new_uid
from graphstore.embedding_models import EmbeddingModel
from graphstore.errors import GarageError
from graphstore.journal import Activity
from graphstore.search_log import SearchEvent
from graphstore.session import Graph
from graphstore.settings import Connection

_MODEL = EmbeddingModel("exercise", "exercise", "exercise", 8, "exercise")
_FOUND = 10


def run(connection: Connection, clock: Clock) -> None:
    """Do what a start and a first search do, on a graph that is thrown away afterwards."""
    with Graph(connection) as graph:
        schema.apply(graph, clock)
        registration = Activity(new_uid(), clock.now(), "exercise", "register-model")
        model = embedding_models.register(graph, _MODEL, registration)
        schema.apply(graph, clock)
        warm(graph)
        embedding_models.texts(graph, model, 10)
        reading.counts(graph)
        journal.entries(graph)
        search_log.record(graph, SearchEvent(new_uid(), clock.now(), "cli", "exercise", "x"), [])


def warm(graph: Graph) -> None:
    """Ask what a search asks, so that its plans are there; a database without a schema has none.

    Hits are read of what vectors find: to read no hit at all would leave most of it to a person.
    """
    found: list[str] = []
    try:
        graph.look_at_indexes()
        for model in embedding_models.listed(graph):
            if model.fingerprint:
                near = [1.0] * model.dimensions
                scored = lanes.by_vector(graph, model, near, lanes.EVERYWHERE, _FOUND)
                found.extend(each.uid for each in scored)
        lanes.by_text(graph, "a first search", lanes.EVERYWHERE, _FOUND)
        lanes.hits(graph, found[:_FOUND] or ["nothing"])
    except GarageError:
        # Nobody asked for it: who searches hears what is wrong.
        return
