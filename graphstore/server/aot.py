"""AOT cache: what a JVM learnt of Neo4j's classes, kept so that the next start takes half the time.

It is made by a short life of a second JVM (`ManagedServer.train`) and belongs to one Java, one set
of jars and one command line; a JVM that it does not fit ignores it.
"""

import hashlib
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock, Timeout

from graphstore.server.launch import Launch

SINCE = 25
"""The Java that brought the cache in one step (JEP 514)."""


def file(launch: Launch, cache: Path) -> Path | None:
    """Return where the cache for this launch is, or would be; None where Java cannot have one."""
    if launch.java.major < SINCE:
        return None
    java = launch.java.path.resolve()
    status = java.stat()
    bare = replace(launch, options=())
    flags = [part for part in bare.command() if str(launch.home) not in part]
    key = "\0".join([str(java), str(status.st_size), str(status.st_mtime_ns), *flags])
    return cache / "aot" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.aot"


def options(launch: Launch, cache: Path) -> tuple[str, ...]:
    """Return what makes the JVM use the cache, when it is there."""
    made = file(launch, cache)
    return (f"-XX:AOTCache={made}",) if made and made.is_file() else ()


@contextmanager
def workplace(target: Path) -> Generator[Path | None]:
    """Give a folder to make `target` in, thrown away after; None while another process is at it.

    What a killed training left is removed.
    """
    parent = target.parent
    parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(parent / "training.lock", blocking=False)
    try:
        lock.acquire()
    except Timeout:
        yield None
        return
    with lock:
        for left in parent.glob("training-*"):
            shutil.rmtree(left, ignore_errors=True)
        with TemporaryDirectory(prefix="training-", dir=parent, ignore_cleanup_errors=True) as made:
            yield Path(made)
