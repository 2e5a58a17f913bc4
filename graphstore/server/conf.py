"""neo4j.conf of the managed server: loopback only, quiet to the outside, small on disk.

Neo4j checks the file strictly: an unknown or doubled key stops its start. So these keys belong
to the version in jars.lock, and are never asked of a server that the owner brought.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from graphstore.settings import ServerSettings

TRANSACTION_SHARE: Final = 0.69
"""Of the heap, for one transaction; all together get 0.7 (Neo4j's default).

Measured, indexes online: 20,000 chunks of 1 kB in one transaction need 495 MiB, 25 kB a chunk; with
441 MiB they fail, with 618 they fit (docs/decisions/012).
"""

_FIXED: Final = {
    "server.default_listen_address": "127.0.0.1",
    "server.bolt.enabled": "true",
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "server.directories.import": "import",
    "dbms.security.auth_enabled": "true",
    "db.query.default_language": "CYPHER_25",
    # No wait without an end.
    "db.transaction.timeout": "60s",
    "db.lock.acquisition.timeout": "10s",
    # An empty store takes 2 MB, not 517.
    "db.tx_log.rotation.retention_policy": "keep_none",
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.size": "64m",
    # All of these are on by default, and talk to somebody.
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "server.fleet_discovery.enabled": "false",
    "dbms.fleet_manager.enabled": "false",
    # Second guards: HTTP is off, and no query text comes from outside.
    "server.http.x_forward.enabled": "false",
    "dbms.security.http_access_control_allow_origin": "http://127.0.0.1",
    "dbms.security.allow_csv_import_from_file_urls": "false",
    "internal.dbms.cypher_ip_blocklist": "0.0.0.0/0,::/0",
    # A stop takes 2 s, not 10.
    "db.shutdown_transaction_end_timeout": "2s",
    "internal.server.bolt.thread_pool_shutdown_wait_time": "1s",
    "internal.server.bolt.connection_shutdown_wait_time": "1s",
}


def render(
    port: int, settings: ServerSettings, further: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the text of neo4j.conf for a server with Bolt on this port, and `further` keys."""
    chosen = {
        "server.bolt.listen_address": f"127.0.0.1:{port}",
        "server.bolt.advertised_address": f"127.0.0.1:{port}",
        "server.memory.pagecache.size": f"{settings.pagecache_mb}m",
        "db.memory.transaction.max": f"{int(settings.heap_mb * TRANSACTION_SHARE)}m",
    }
    lines = [f"{key}={value}\n" for key, value in (_FIXED | chosen | dict(further)).items()]
    return "# Written by Garage at every start: changes here are lost.\n" + "".join(lines)


def write(
    folder: Path,
    port: int,
    settings: ServerSettings,
    further: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write neo4j.conf into `folder`, whole or not at all."""
    partial = folder / "neo4j.conf.part"
    partial.write_text(render(port, settings, further), encoding="utf-8")
    partial.replace(folder / "neo4j.conf")
