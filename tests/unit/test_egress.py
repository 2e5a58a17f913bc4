"""One door to the network: the guard before it, and proof that there is no other."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from extraction import egress
from graphstore import privacy
from graphstore.errors import InvalidInput, Refused

ROOT = Path(__file__).parents[2]
ROOMS = ("graphstore", "extraction", "communities", "api")

CLIENTS = {
    *("aiohttp", "asyncssh", "ftplib", "grpc", "http.client", "httpcore", "httpcore2", "httpx"),
    *("httpx2", "huggingface_hub", "imaplib", "jgo", "ollama", "paramiko", "poplib", "pycurl"),
    *("requests", "smtplib", "socket", "telnetlib", "urllib.request", "urllib3", "websocket"),
    *("websockets", "xmlrpc.client", "neo4j.GraphDatabase", "neo4j.AsyncGraphDatabase"),
    *("neo4j_graphrag.embeddings", "neo4j_graphrag.llm"),
}
"""What opens a connection. Of `neo4j`, only the driver: its types and errors open none."""

DOORS = {
    "extraction/egress.py": {"httpx", "ollama", "socket"},
    "graphstore/session.py": {"neo4j.GraphDatabase"},
    "graphstore/server/": {"neo4j.GraphDatabase", "socket"},
    "graphstore/server/jars.py": {"jgo"},
    "api/client/": {"http.client"},
    "api/cli/relay.py": {"http.client"},
}
"""Who may: a file, or every file below a folder."""

SOCKET_USES = {
    "api/serve/service.py": {"socket", "AF_INET", "SOCK_STREAM", "SOL_SOCKET", "SO_REUSEADDR"},
    "api/serve/running.py": {"socket"},
    "api/cli/relay.py": {"SHUT_RDWR"},
    "api/cli/checkup.py": {"socket", "AF_INET", "SOCK_STREAM"},
    "graphstore/watch.py": {"SHUT_RDWR"},
}
"""What of `socket` may be named where it is not for calling: to listen, to end a call."""

NO_CLIENTS = {"jgo.config", "neo4j_graphrag.embeddings.base"}
"""Parts of a client that open nothing: its settings file, the type of an embedder."""

CALLS = {"connect", "connect_ex", "create_connection", "sendto"}

CLOUD_SDKS = {
    *(
        "anthropic",
        "azure-ai-inference",
        "boto3",
        "botocore",
        "cohere",
        "dashscope",
        "fireworks-ai",
    ),
    *("google-cloud-aiplatform", "google-genai", "google-generativeai", "groq", "langchain-openai"),
    *("litellm", "mistralai", "openai", "replicate", "together", "vertexai", "voyageai"),
    *("ibm-watsonx-ai", "llama-index", "langchain"),
}


def imported(source: str) -> Iterator[str]:
    """Yield every dotted name that `source` imports, by statement or by call."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func).rpartition(".")[2]
            if called in {"import_module", "__import__"}:
                yield str(node.args[0].value)
        elif isinstance(node, ast.Attribute):
            yield ast.unparse(node)


def clients(source: str) -> set[str]:
    return {
        client
        for name in imported(source)
        for client in CLIENTS
        if is_within(name, {client}) and not is_within(name, NO_CLIENTS)
    }


def is_within(name: str, roots: set[str]) -> bool:
    return any(name == root or name.startswith(f"{root}.") for root in roots)


def allowed(path: str) -> set[str]:
    listening = {"socket"} if path in SOCKET_USES else set[str]()
    return listening | {
        client
        for door, uses in DOORS.items()
        if path == door or (door.endswith("/") and path.startswith(door))
        for client in uses
    }


def sources() -> dict[str, str]:
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in files}


@pytest.mark.req("PRV-3")
def test_no_module_but_the_doors_imports_a_network_client():
    found = {path: clients(source) - allowed(path) for path, source in sources().items()}
    assert "extraction/egress.py" in found
    assert {path: extra for path, extra in found.items() if extra} == {}


@pytest.mark.req("PRV-3")
@pytest.mark.parametrize("path", sorted(SOCKET_USES))
def test_where_a_socket_is_not_for_calling_only_those_names_of_it_are_used(path: str):
    names = imported(sources()[path])
    used = {name.split(".")[1] for name in names if name.startswith("socket.")}
    assert used == SOCKET_USES[path]


@pytest.mark.req("PRV-3")
@pytest.mark.parametrize("path", ["api/serve/service.py", "api/cli/checkup.py"])
def test_who_only_takes_a_port_calls_nobody(path: str):
    called = {name.rpartition(".")[2] for name in imported(sources()[path])}
    assert called & CALLS == set()


@pytest.mark.req("PRV-3")
def test_the_relay_connects_only_through_the_client_of_its_own_service():
    tree = ast.parse(sources()["api/cli/relay.py"])
    made = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert "connect" in made
    assert "api.client.connect" in set(imported(sources()["api/cli/relay.py"]))
    assert not any(name.endswith(("HTTPConnection", "HTTPSConnection")) for name in made)


@pytest.mark.req("PRV-3")
@pytest.mark.parametrize(
    ("planted", "client"),
    [
        ("import httpx", "httpx"),
        ("import urllib.request as web", "urllib.request"),
        ("from urllib import request", "urllib.request"),
        ("from urllib.request import urlopen", "urllib.request"),
        ("def late():\n    from http import client", "http.client"),
        ("import importlib\nimportlib.import_module('requests')", "requests"),
        ("__import__('socket')", "socket"),
        ("from jgo.maven import MavenContext", "jgo"),
        ("from requests.sessions import Session", "requests"),
        ("import neo4j\nneo4j.GraphDatabase.driver('bolt')", "neo4j.GraphDatabase"),
        ("from neo4j import GraphDatabase", "neo4j.GraphDatabase"),
    ],
)
def test_a_planted_client_is_found(planted: str, client: str):
    assert clients(planted) == {client}


@pytest.mark.req("PRV-3")
@pytest.mark.parametrize(
    "harmless",
    [
        "from urllib.parse import urlsplit",
        "from neo4j.exceptions import ClientError",
        "from jgo.config import GlobalSettings",
        "import http",
    ],
)
def test_what_opens_no_connection_is_no_client(harmless: str):
    assert clients(harmless) == set()


@pytest.mark.req("PRV-3")
def test_no_cloud_sdk_is_imported():
    roots = {sdk.replace("-", "_") for sdk in CLOUD_SDKS} | {"google.generativeai", "google.genai"}
    found = {
        (path, name)
        for path, source in sources().items()
        for name in imported(source)
        if is_within(name, roots)
    }
    assert found == set()


@pytest.mark.req("PRV-3")
@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_no_cloud_sdk_is_in_the_lock(lock: str):
    text = (ROOT / lock).read_text("utf-8")
    packages = {name.lower() for name in re.findall(r"^([A-Za-z0-9._-]+)==", text, re.MULTILINE)}
    assert "neo4j" in packages
    assert packages & CLOUD_SDKS == set()


@pytest.mark.req("PRV-3")
@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("http://localhost:5000/", "http://127.0.0.1:5000"),
        ("127.0.0.3", "http://127.0.0.3:11434"),
        ("http://[::1]:80", "http://[::1]:80"),
    ],
)
def test_a_server_of_this_machine_is_called_by_number(given: str, used: str):
    assert egress.loopback(given, "embedding.ollama_host") == used


@pytest.mark.req("PRV-3")
@pytest.mark.campaign("C50", part=True)
@pytest.mark.parametrize(
    "given",
    [
        "http://192.0.2.7:11434",
        "http://models.example.org",
        "https://127.0.0.1:11434",
        "http://127.0.0.1.example.org",
        "http://me:not-this-secret@127.0.0.1",
        "http://127.0.0.1:port",
        "http://127.0.0.1/path",
        "",
    ],
)
def test_another_machine_is_refused_with_the_setting_to_change(given: str):
    with pytest.raises(InvalidInput, match=r"embedding\.ollama_host") as caught:
        egress.loopback(given, "embedding.ollama_host")
    assert "127.0.0.1:11434" in caught.value.hint
    assert "not-this-secret" not in str(caught.value)


@dataclass(frozen=True)
class Place:
    name: str
    is_local: bool


@pytest.mark.req("PRV-2")
@pytest.mark.parametrize("corpus_class", [*privacy.CLASSES, "unheard-of"])
def test_every_class_may_go_to_a_provider_on_this_machine(corpus_class: str):
    egress.assert_may_send(corpus_class, Place("here", is_local=True))


@pytest.mark.req("PRV-2")
@pytest.mark.parametrize("corpus_class", ["communication", "unheard-of", ""])
def test_communication_and_unknown_classes_never_leave_the_machine(corpus_class: str):
    with pytest.raises(Refused, match="away is on another machine"):
        egress.assert_may_send(corpus_class, Place("away", is_local=False))


@pytest.mark.req("PRV-2")
@pytest.mark.parametrize("corpus_class", ["document", "code", "reference"])
def test_other_classes_may_leave_the_machine(corpus_class: str):
    egress.assert_may_send(corpus_class, Place("away", is_local=False))
