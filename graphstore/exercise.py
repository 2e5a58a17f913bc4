"""Exercise: what a JVM in training is put through, so that it knows what a first search needs."""

from graphstore import embedding_models, journal, lanes, reading, schema, search_log
from graphstore.clock import Clock, new_uid
from graphstore.embedding_models import EmbeddingModel
from graphstore.journal import Activity
from graphstore.search_log import SearchEvent
from graphstore.session import Graph
from graphstore.settings import Connection

_MODEL = EmbeddingModel("exercise", "exercise", "exercise", 8, "exercise")


def run(connection: Connection, clock: Clock) -> None:
    """Do what a start and a first search do, on a graph that is thrown away afterwards."""
    with Graph(connection) as graph:
        schema.apply(graph, clock)
        registration = Activity(new_uid(), clock.now(), "exercise", "register-model")
        model = embedding_models.register(graph, _MODEL, registration)
        schema.apply(graph, clock)
        lanes.by_text(graph, "a first search", lanes.EVERYWHERE, 10)
        lanes.by_vector(graph, model, [1.0] * _MODEL.dimensions, lanes.EVERYWHERE, 10)
        lanes.owners(graph, ["nothing"])
        lanes.hits(graph, ["nothing"])
        embedding_models.texts(graph, model, 10)
        reading.counts(graph)
        journal.entries(graph)
        search_log.record(graph, SearchEvent(new_uid(), clock.now(), "cli", "exercise", "x"), [])
