"""Jars: the third-party files that Garage fetches once, at set-up, and never again.

`jars.lock` names every jar with its size and sha256. What `fetch` returns was checked against
it; a folder appears under its final name only when it is complete. Only this module of the room
opens a connection to a host that is not the owner's Neo4j, and only while a jar is missing.
"""

import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache as remember
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Final

from filelock import FileLock, Timeout

from graphstore.errors import GarageError, NotFound, Unavailable
from graphstore.server import unsigned

TITLES: Final = {
    "neo4j": "Neo4j",
    "embedder": "the embedding models",
    "web": "the web pages' parts",
}
"""The parts of the lock, as a person reads them."""

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
_THREADS: Final = 8
_TRIES: Final = 2
_LOCK_WAIT_S: Final = 900.0
_SPARE: Final = 64 * 2**20

_OFFLINE = (
    "Check the network, or set neo4j.maven_repository to a repository within reach; then retry."
)


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of the lock."""

    part: str
    group: str
    artifact: str
    version: str
    classifier: str
    """Empty for the main jar."""
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """Return the file's name, as Maven gives it."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{suffix}.jar"

    @property
    def path(self) -> Path:
        """Return the file's place within a Maven repository."""
        return Path(*self.group.split("."), self.artifact, self.version, self.name)


@remember
def locked(part: str) -> tuple[Jar, ...]:
    """Return the jars of a part of the lock, in its order."""
    text = resources.files(__package__ or __name__).joinpath("jars.lock").read_text("utf-8")
    jars = tuple(jar for jar in map(_parse, _lines(text)) if jar.part == part)
    if not jars:
        raise NotFound(f"jars.lock has no part {part!r}.", hint=f"Parts: {', '.join(TITLES)}.")
    return jars


def folder(part: str, cache: Path) -> Path:
    """Return where the jars of a part lie once fetched: named by the hash of their lock lines."""
    digest = hashlib.sha256("\n".join(jar.sha256 for jar in locked(part)).encode()).hexdigest()
    return cache / "jars" / f"{part}-{digest[:16]}"


def is_fetched(part: str, cache: Path) -> bool:
    """Say whether `fetch` would return at once, without a network."""
    target = folder(part, cache)
    # Sizes, not hashes: 225 of them take 3 ms and show what a full disk or a power cut leaves.
    return all(_size(target / jar.name) == jar.size for jar in locked(part))


def damaged(part: str, cache: Path) -> tuple[str, ...]:
    """Return the names of fetched jars that are not the locked ones; reads every byte of them."""
    target = folder(part, cache)
    if not target.is_dir():
        return ()
    changed = (jar.name for jar in locked(part) if not _is_locked_one(target / jar.name, jar))
    return (*changed, *unsigned.damaged(target))


def discard(part: str, cache: Path) -> None:
    """Take the folder of a part away: `fetch` makes it again, and fetches what is not right."""
    target = folder(part, cache)
    for each in (target, unsigned.folder(target)):
        shutil.rmtree(each, ignore_errors=True)


def fetch(
    part: str,
    cache: Path,
    repository: str | None,
    report: Callable[[str], None],
    environment: Mapping[str, str] = _NOTHING,
) -> tuple[Path, ...]:
    """Return the jars of a part, all in one folder, fetching and checking what is missing.

    `report` is called from the caller's thread; what it raises ends the fetch.

    Raises:
        Unavailable: offline, no space, or a repository whose jar is not the locked one.
    """
    target = folder(part, cache)
    if not is_fetched(part, cache):
        try:
            cache.mkdir(parents=True, exist_ok=True)
            with FileLock(cache / "jars.lock", timeout=_LOCK_WAIT_S):
                if not is_fetched(part, cache):
                    _fetch_all(part, cache, _Origin.of(cache, repository, environment), report)
        except Timeout:
            message = f"Another process has been fetching jars into {cache} for a long time."
            raise Unavailable(message, hint="End it, then retry.") from None
        except OSError as error:
            raise _disk_error(cache, error) from error
    return tuple(target / jar.name for jar in locked(part))


def read_member(jar: Path, name: str) -> bytes:
    """Return a file out of a jar.

    Raises:
        NotFound: the jar holds no such file.
    """
    with zipfile.ZipFile(jar) as archive:
        try:
            return archive.read(name)
        except KeyError:
            raise NotFound(f"{jar.name} holds no file {name!r}.") from None


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where jars come from: our own store of them, this machine's Maven caches, repositories."""

    store: Path
    caches: tuple[Path, ...]
    remote: Mapping[str, str]

    @classmethod
    def of(cls, cache: Path, repository: str | None, environment: Mapping[str, str]) -> "_Origin":
        # Imported here, as jgo below: half a second that a complete cache never pays.
        from graphstore.server import maven

        remote = maven.remote_repositories(repository, environment)
        return cls(cache / "maven", maven.local_caches(environment), remote)


def _fetch_all(part: str, cache: Path, origin: _Origin, report: Callable[[str], None]) -> None:
    jars = locked(part)
    _check_space(cache, 2 * sum(jar.size for jar in jars))
    report(f"Fetching {TITLES[part]}: 0 of {len(jars)} jars")
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="garage-jars") as pool:
        tasks = [pool.submit(_obtain, jar, origin) for jar in jars]
        try:
            for done, task in enumerate(as_completed(tasks), start=1):
                task.result()
                report(f"Fetching {TITLES[part]}: {done} of {len(jars)} jars")
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    _assemble(jars, origin.store, folder(part, cache))


def _obtain(jar: Jar, origin: _Origin) -> None:
    """Put the jar into our store, from the nearest place that has the locked one."""
    kept = origin.store / jar.path
    if _is_locked_one(kept, jar):
        return
    kept.unlink(missing_ok=True)
    for cache in origin.caches:
        if _is_locked_one(cache / jar.path, jar):
            _copy(cache / jar.path, kept)
            return
    failure: GarageError = Unavailable(f"{jar.name} was not fetched.", hint=_OFFLINE)
    for _ in range(_TRIES):
        try:
            _download(jar, origin)
        except Unavailable as error:
            failure = error
        else:
            if _is_locked_one(kept, jar):
                return
            failure = _mismatch(jar)
        # jgo leaves a cut file behind, and would return it unchecked the next time.
        kept.unlink(missing_ok=True)
    raise failure


def _download(jar: Jar, origin: _Origin) -> None:
    from jgo.maven import MavenContext

    context = MavenContext(repo_cache=origin.store)
    default = {k: v for k, v in context.remote_repos.items() if k not in origin.remote}
    context.remote_repos = {**origin.remote, **default}
    component = context.project(jar.group, jar.artifact).at_version(jar.version)
    try:
        component.artifact(classifier=jar.classifier, packaging="jar").resolve()
    except OSError as error:
        # The errors of the HTTP library are OSErrors without a number; those of the disk have one.
        if error.errno is not None:
            raise
        message = f"The Maven repository did not deliver {jar.name} ({type(error).__name__})."
        raise Unavailable(message, hint=_OFFLINE) from error
    except RuntimeError as error:
        message = f"The Maven repository does not have {jar.name}."
        raise Unavailable(message, hint=_OFFLINE) from error


def _assemble(jars: tuple[Jar, ...], store: Path, target: Path) -> None:
    """Build the folder under another name, then rename it: it is whole or absent."""
    target.parent.mkdir(parents=True, exist_ok=True)
    building = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for jar in jars:
            unsigned.link(store / jar.path, building / jar.name)
        if target.exists():
            shutil.rmtree(target)
        building.rename(target)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".part")
    shutil.copyfile(source, partial)
    partial.replace(target)


def _is_locked_one(path: Path, jar: Jar) -> bool:
    if _size(path) != jar.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _parse(line: str) -> Jar:
    part, group, artifact, version, classifier, size, sha256 = line.split(" ")
    named = "" if classifier == "-" else classifier
    return Jar(part, group, artifact, version, named, int(size), sha256)


def _check_space(cache: Path, needed: int) -> None:
    free = shutil.disk_usage(cache).free
    if free < needed + _SPARE:
        message = f"{cache} has {free >> 20} MiB free; the jars need {(needed + _SPARE) >> 20} MiB."
        raise Unavailable(message, hint="Free some space, then retry.")


def _mismatch(jar: Jar) -> Unavailable:
    return Unavailable(
        f"{jar.name}, fetched twice, is not the file that jars.lock names: its sha256 differs.",
        hint="Ask the repository's owner, or set neo4j.maven_repository to another one.",
    )


def _disk_error(cache: Path, error: OSError) -> Unavailable:
    return Unavailable(
        f"The jars could not be written below {cache}: {error.strerror or type(error).__name__}.",
        hint="Check the folder's space and permissions, then retry.",
    )
