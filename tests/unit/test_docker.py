"""The recipe for containers, as far as it can be checked without an engine."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.cli.app import app
from api.settings import load
from graphstore.server import conf
from graphstore.settings import ServerSettings

REPOSITORY = Path(__file__).parent.parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text("utf-8"))
NEO4J, GARAGE = COMPOSE["services"]["neo4j"], COMPOSE["services"]["garage"]
RECIPE = (REPOSITORY / "Dockerfile").read_text("utf-8")

KNOWN = {
    *("build", "cap_drop", "depends_on", "environment", "healthcheck", "image", "networks"),
    *("ports", "read_only", "restart", "secrets", "security_opt", "stop_grace_period", "tmpfs"),
    *("user", "volumes"),
}
"""Of the keys that the compose specification has for a service, those that are used here."""
HEAP = {"server.memory.heap.initial_size", "server.memory.heap.max_size"}
"""Neo4j's own; the managed server gets its heap on the command line of Java."""


def rendered() -> dict[str, str]:
    lines = conf.render(7687, ServerSettings()).splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def configured() -> dict[str, str]:
    """Return the settings of the image's Neo4j, by the names of neo4j.conf."""
    found: dict[str, str] = {}
    for name, value in NEO4J["environment"].items():
        if name != "NEO4J_AUTH_FILE":
            key = name.removeprefix("NEO4J_").replace("__", "\0").replace("_", ".")
            found[key.replace("\0", "_")] = value
    return found


@pytest.mark.req("RUN-2")
def test_what_the_composition_names_is_there() -> None:
    assert COMPOSE.keys() == {"name", "services", "networks", "volumes", "secrets"}
    for service in (NEO4J, GARAGE):
        assert service.keys() <= KNOWN
        assert set(service["secrets"]) <= COMPOSE["secrets"].keys()
        assert set(service["networks"]) <= COMPOSE["networks"].keys()
        named = {each.rpartition(":/")[0] for each in service["volumes"] if each[0].isalpha()}
        assert named <= COMPOSE["volumes"].keys()
        assert service["healthcheck"]["test"][0] == "CMD"
    assert GARAGE["depends_on"] == {"neo4j": {"condition": "service_healthy"}}
    for secret in COMPOSE["secrets"].values():
        assert secret["file"].startswith("./secrets/")
    assert "secrets/" in (REPOSITORY / ".gitignore").read_text("utf-8").splitlines()


@pytest.mark.req("RUN-2")
def test_images_are_plain_official_names_and_recent_enough() -> None:
    name, _, tag = NEO4J["image"].partition(":")
    assert name == "neo4j"
    assert tuple(int(part) for part in tag.split(".")) >= (2026, 6)
    assert set(re.findall(r"^FROM (\S+)", RECIPE, re.M)) == {"python:3.12-slim"}


@pytest.mark.req("RUN-2")
@pytest.mark.campaign("C66")
def test_neo4j_in_a_container_is_as_quiet_as_the_managed_one() -> None:
    mine, theirs = rendered(), configured()
    assert theirs.keys() - mine.keys() == HEAP, "Neo4j refuses a key that it does not know"
    assert {key: theirs[key] for key in mine.keys() & theirs.keys()} == {
        key: mine[key] for key in mine.keys() & theirs.keys()
    }
    # What a container does by itself: its address, its folders, authentication.
    assert mine.keys() - theirs.keys() == {
        *("server.default_listen_address", "server.bolt.enabled", "server.bolt.listen_address"),
        *("server.bolt.advertised_address", "server.directories.import"),
        *("dbms.security.auth_enabled", "db.shutdown_transaction_end_timeout"),
        "internal.server.bolt.thread_pool_shutdown_wait_time",
        "internal.server.bolt.connection_shutdown_wait_time",
    }


@pytest.mark.req("RUN-2")
def test_only_loopback_is_published_and_neo4j_has_no_way_out() -> None:
    assert "ports" not in NEO4J
    assert all(port.startswith("127.0.0.1:") for port in GARAGE["ports"])
    assert [COMPOSE["networks"][each].get("internal") for each in NEO4J["networks"]] == [True]
    assert all(
        "password" not in str(v) or "/run/secrets/" in v for v in NEO4J["environment"].values()
    )
    assert GARAGE["cap_drop"] == ["ALL"]


@pytest.mark.req("RUN-2")
def test_the_variables_of_the_container_are_settings(tmp_path: Path) -> None:
    recipe = dict(re.findall(r"\b(GARAGE_\w+)=(\S+)", RECIPE))
    found = load(None, {"HOME": str(tmp_path), **recipe, **GARAGE["environment"]})
    port = found.settings.service.port
    secrets = {f"/run/secrets/{name}" for name in GARAGE["secrets"]}
    assert found.settings.service.bind == "0.0.0.0"  # noqa: S104 - in a container
    assert GARAGE["ports"] == [f"127.0.0.1:{port}:{port}"], (
        "a request names the port it was sent to"
    )
    assert f"EXPOSE {port}" in RECIPE
    assert f":{port}/healthz" in " ".join(GARAGE["healthcheck"]["test"])
    assert found.settings.neo4j.password_file in secrets
    assert str(found.data_folder) in {each.partition(":")[2] for each in GARAGE["volumes"]}


@pytest.mark.req("RUN-2")
def test_the_image_installs_by_hash_and_runs_as_nobody_special() -> None:
    installs = re.findall(r"pip install (.*)", RECIPE)
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    assert len(installs) == 2
    assert "--require-hashes -r requirements.lock" in installs[0]
    assert "--no-deps --no-build-isolation" in installs[1]
    assert "--require-hashes" in makefile
    assert "--no-deps --no-build-isolation" in makefile
    lines = RECIPE.splitlines()
    assert lines.index("USER garage") < lines.index('CMD ["garage", "serve"]')
    names = {command.name for command in app.registered_commands}
    assert set(re.findall(r"garage (setup|serve)\b", RECIPE)) <= names
    context = (REPOSITORY / ".dockerignore").read_text("utf-8").splitlines()
    copied = {
        word for line in re.findall(r"^COPY (?!--)(.+) \S+$", RECIPE, re.M) for word in line.split()
    }
    assert copied == {line[1:] for line in context if line.startswith("!")}
    assert all((REPOSITORY / each).exists() for each in copied)
