"""Settings of the graph store. `api.settings` fills them; defaults here are the shipped ones."""

from dataclasses import dataclass
from typing import Annotated, Final

from annotated_types import Interval

from graphstore.limits import Matching

_ADDRESS: Final = r"((bolt|neo4j)(\+s|\+ssc)?://[^\s/@]+/?(\?\S*)?)?"
_ADDRESS_SAYS: Final = "bolt://HOST:PORT or neo4j://HOST, +s for TLS, without user and password"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Which Neo4j is used, and how the managed one runs."""

    uri: Annotated[str, Matching(_ADDRESS, _ADDRESS_SAYS)] | None = None
    """Address of your own server (`bolt://`, `neo4j://`, `neo4j+s://`); empty = Garage runs one."""
    username: str = "neo4j"
    """User name on your own server."""
    password: str | None = None
    """Password on your own server; `password_file` keeps it out of the environment."""
    password_file: str | None = None
    """File whose first line is the password on your own server."""
    database: str = "neo4j"
    """Database on the server."""
    java: str | None = None
    """A `java` (21 or 25) for the managed server; empty = the first suitable one, else ours."""
    heap_mb: Annotated[int, Interval(ge=256, le=131_072)] = 896
    """Most Java heap of the managed server, MiB; large documents need it, it rests at 256."""
    pagecache_mb: Annotated[int, Interval(ge=8, le=1_048_576)] = 256
    """Page cache of the managed server, MiB."""
    keep_free_mb: Annotated[int, Interval(ge=64, le=1_048_576)] = 256
    """MiB of the data folder's disk that stay free: below it nothing is written to our server."""
    maven_repository: str | None = None
    """Maven repository for set-up; empty = the mirror in ~/.m2/settings.xml, else Maven Central."""
    start_timeout_s: Annotated[float, Interval(ge=1, le=3_600)] = 180.0
    """Seconds that the managed server has to answer its first query."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How to reach a Neo4j server that is there."""

    uri: str
    username: str
    password: str
    database: str = "neo4j"

    def __repr__(self) -> str:
        return f"Connection({self.uri!r}, {self.username!r}, database={self.database!r})"
