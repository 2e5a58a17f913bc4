"""Fetching jars: from a Maven repository, from a cache on this machine, and never unchecked."""

import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path

import pytest

from graphstore.errors import NotFound, Unavailable
from graphstore.server import jars

PART = "web"


@dataclass
class Repository:
    """A Maven repository on loopback that serves the jars of a cache."""

    store: Path
    spoil: bytes = b""
    """What is put before every jar."""
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        file = self.store / request.path.lstrip("/")
        content = self.spoil + file.read_bytes() if file.is_file() else b""
        request.send_response(200 if content else 404)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)


@pytest.fixture
def repository(jar_cache: Path) -> Iterator[Repository]:
    serving = Repository(jar_cache / "maven")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            serving.answer(self)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    serving.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield serving
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a person without a Maven."""
    (tmp_path / "person").mkdir()
    return {"HOME": str(tmp_path / "person")}


def silent(_: str) -> None:
    pass


def contents(paths: tuple[Path, ...]) -> list[bytes]:
    return [path.read_bytes() for path in paths]


@pytest.mark.req("RUN-1")
def test_jars_are_fetched_once_with_progress_and_then_without_a_request(
    tmp_path: Path, repository: Repository, bare: dict[str, str], jar_cache: Path
) -> None:
    told: list[str] = []
    fetched = jars.fetch(PART, tmp_path / "cache", repository.url, told.append, bare)
    assert contents(fetched) == contents(jars.fetch(PART, jar_cache, None, silent))
    assert told[0] == "Fetching the web pages' parts: 0 of 3 jars"
    assert told[-1] == "Fetching the web pages' parts: 3 of 3 jars"
    repository.asked.clear()
    assert jars.fetch(PART, tmp_path / "cache", repository.url, silent, bare) == fetched
    assert repository.asked == []


@pytest.mark.req("RUN-1")
def test_a_jar_that_went_bad_in_the_cache_is_fetched_again(
    tmp_path: Path, repository: Repository, bare: dict[str, str]
) -> None:
    cache = tmp_path / "cache"
    first = jars.fetch(PART, cache, repository.url, silent, bare)
    good = contents(first)
    first[1].write_bytes(b"cut off")
    repository.asked.clear()
    assert contents(jars.fetch(PART, cache, repository.url, silent, bare)) == good
    assert {Path(path).name for path in repository.asked} <= {
        first[1].name,
        f"{first[1].name}.sha1",
    }
    assert repository.asked


@pytest.mark.req("RUN-1")
def test_a_changed_byte_is_noticed_before_the_jars_are_used(
    tmp_path: Path, repository: Repository, bare: dict[str, str]
) -> None:
    cache, jar = tmp_path / "cache", jars.locked(PART)[0]
    kept = cache / "maven" / jar.path
    kept.parent.mkdir(parents=True)
    content = bytearray((repository.store / jar.path).read_bytes())
    content[100] ^= 1
    kept.write_bytes(content)
    fetched = jars.fetch(PART, cache, repository.url, silent, bare)
    assert fetched[0].read_bytes() == (repository.store / jar.path).read_bytes()


@pytest.mark.req("RUN-1")
def test_a_repository_with_another_file_is_refused_after_a_second_try(
    tmp_path: Path, repository: Repository, bare: dict[str, str]
) -> None:
    repository.spoil = b"malice"
    with pytest.raises(Unavailable, match=r"sha256 differs.*maven_repository"):
        jars.fetch(PART, tmp_path / "cache", repository.url, silent, bare)
    wanted = [path for path in repository.asked if path.endswith(".jar")]
    assert max(wanted.count(path) for path in wanted) == 2
    assert not list((tmp_path / "cache").rglob("*.jar"))
    assert not jars.is_fetched(PART, tmp_path / "cache")


@pytest.mark.req("RUN-1")
def test_without_a_network_the_error_says_what_to_do(
    tmp_path: Path, repository: Repository, bare: dict[str, str]
) -> None:
    repository.store = tmp_path / "nothing"
    with pytest.raises(Unavailable, match=r"does not have .*Check the network"):
        jars.fetch(PART, tmp_path / "cache", repository.url, silent, bare)
    with pytest.raises(Unavailable, match=r"did not deliver .*Check the network"):
        jars.fetch(PART, tmp_path / "cache", "http://127.0.0.1:9", silent, bare)


@pytest.mark.req("RUN-1")
def test_jars_of_a_maven_cache_on_this_machine_are_taken_when_they_are_the_locked_ones(
    tmp_path: Path, repository: Repository, bare: dict[str, str]
) -> None:
    theirs = Path(bare["HOME"]) / ".m2" / "repository"
    for jar in jars.locked(PART):
        (theirs / jar.path).parent.mkdir(parents=True)
        shutil.copyfile(repository.store / jar.path, theirs / jar.path)
    wrong = theirs / jars.locked(PART)[0].path
    wrong.write_bytes(b"not that one")
    fetched = jars.fetch(PART, tmp_path / "cache", repository.url, silent, bare)
    assert fetched[0].read_bytes() != b"not that one"
    assert wrong.read_bytes() == b"not that one"
    assert {Path(path).name for path in repository.asked} == {wrong.name, f"{wrong.name}.sha1"}


@pytest.mark.req("RUN-1")
def test_the_mirror_of_the_persons_maven_settings_is_asked(
    tmp_path: Path, repository: Repository, bare: dict[str, str]
) -> None:
    settings = Path(bare["HOME"]) / ".m2" / "settings.xml"
    settings.parent.mkdir()
    settings.write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0"><mirrors>'
        "<mirror><id>a</id><mirrorOf>*,!central</mirrorOf><url>http://127.0.0.1:9</url></mirror>"
        f"<mirror><id>b</id><mirrorOf>x, central</mirrorOf><url>{repository.url}/</url></mirror>"
        "</mirrors></settings>"
    )
    assert len(jars.fetch(PART, tmp_path / "cache", None, silent, bare)) == 3
    assert repository.asked


@pytest.mark.req("RUN-1")
def test_what_the_progress_report_raises_ends_the_fetch_and_leaves_nothing_half_done(
    tmp_path: Path, repository: Repository, bare: dict[str, str]
) -> None:
    def refuse(text: str) -> None:
        if "1 of" in text:
            raise Unavailable("stopped")

    with pytest.raises(Unavailable, match="stopped"):
        jars.fetch(PART, tmp_path / "cache", repository.url, refuse, bare)
    assert not list((tmp_path / "cache").glob("jars/*"))


@pytest.mark.req("EMB-2")
def test_a_file_is_read_out_of_a_jar(jar_cache: Path) -> None:
    jar = jars.fetch(PART, jar_cache, None, silent)[1]
    name = "META-INF/resources/webjars/react/18.2.0/package.json"
    found = {path.name: path for path in jars.fetch(PART, jar_cache, None, silent)}
    assert b'"react"' in jars.read_member(found["react-18.2.0.jar"], name)
    with pytest.raises(NotFound, match=r"no-such-file"):
        jars.read_member(jar, "no-such-file")


@pytest.mark.req("RUN-1")
def test_the_lock_is_complete_and_names_no_address() -> None:
    text = resources.files("graphstore.server").joinpath("jars.lock").read_text("utf-8")
    assert "://" not in text
    assert {part: len(jars.locked(part)) for part in jars.TITLES} == {
        "neo4j": 225,
        "embedder": 2,
        "web": 3,
    }
    for part in jars.TITLES:
        names = [jar.name for jar in jars.locked(part)]
        assert len(set(names)) == len(names), "they lie in one folder"
        assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in jars.locked(part))


@pytest.mark.req("RUN-4")
def test_a_damaged_jar_of_the_right_size_is_found_and_replaced(
    repository: Repository, tmp_path: Path, bare: dict[str, str]
) -> None:
    cache = tmp_path / "cache"
    assert jars.damaged(PART, cache) == ()
    (first, *_) = jars.fetch(PART, cache, repository.url, silent, bare)
    content = first.read_bytes()
    first.write_bytes(bytes(len(content)))
    assert jars.is_fetched(PART, cache)
    assert jars.damaged(PART, cache) == (first.name,)
    jars.discard(PART, cache)
    assert not jars.is_fetched(PART, cache)
    jars.fetch(PART, cache, repository.url, silent, bare)
    assert jars.damaged(PART, cache) == ()
    assert first.read_bytes() == content
