"""The managed server's neo4j.conf."""

from pathlib import Path

import pytest

from graphstore.server import conf
from graphstore.settings import ServerSettings


def keys(text: str) -> dict[str, str]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    pairs = [(key, value) for key, _, value in (line.partition("=") for line in lines)]
    assert len(dict(pairs)) == len(pairs), "Neo4j refuses a key that comes twice"
    return dict(pairs)


@pytest.mark.req("RUN-2")
@pytest.mark.campaign("C66")
@pytest.mark.parametrize(
    "key",
    [
        "client.allow_telemetry",
        "dbms.fleet_manager.enabled",
        "dbms.usage_report.enabled",
        "server.fleet_discovery.enabled",
        "server.http.enabled",
        "server.http.x_forward.enabled",
        "server.https.enabled",
        "dbms.security.allow_csv_import_from_file_urls",
    ],
)
def test_everything_that_talks_to_others_is_off(key: str) -> None:
    assert keys(conf.render(7687, ServerSettings()))[key] == "false"


@pytest.mark.req("RUN-2")
@pytest.mark.campaign("C66")
def test_the_server_listens_on_loopback_and_loads_from_no_host() -> None:
    settings = keys(conf.render(7687, ServerSettings()))
    assert settings["server.default_listen_address"] == "127.0.0.1"
    assert settings["server.bolt.listen_address"] == "127.0.0.1:7687"
    assert settings["server.bolt.advertised_address"] == "127.0.0.1:7687"
    assert settings["internal.dbms.cypher_ip_blocklist"] == "0.0.0.0/0,::/0"
    assert settings["dbms.security.auth_enabled"] == "true"


@pytest.mark.req("RUN-2")
def test_memory_follows_the_settings() -> None:
    settings = keys(conf.render(1, ServerSettings(heap_mb=1000, pagecache_mb=70)))
    assert settings["server.memory.pagecache.size"] == "70m"
    assert settings["db.memory.transaction.max"] == "690m"


@pytest.mark.req("RUN-2")
def test_writing_replaces_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "neo4j.conf").write_text("dbms.security.auth_enabled=false\n")
    conf.write(tmp_path, 7687, ServerSettings())
    assert (tmp_path / "neo4j.conf").read_text() == conf.render(7687, ServerSettings())
    assert [path.name for path in tmp_path.iterdir()] == ["neo4j.conf"]
