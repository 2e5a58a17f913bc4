"""The server's class path: the locked jars, with the signatures of their makers taken off.

A JVM checks every class that it takes out of a signed jar, at every start, and never puts one into
its AOT cache. What lies here was checked against our own lock: the signatures prove nothing more.
"""

import os
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from graphstore.errors import Unavailable

_MANIFEST: Final = "META-INF/MANIFEST.MF"
_SIGNATURES: Final = (".SF", ".RSA", ".DSA", ".EC")


def folder(jars: Path) -> Path:
    """Return where the class path for a folder of fetched jars is, or would be."""
    return jars.with_name(f"{jars.name}-unsigned")


def make(jars: Sequence[Path]) -> Path:
    """Return the folder of the class path, made from the fetched jars when it is not whole.

    Raises:
        Unavailable: a jar is broken, or the folder could not be written.
    """
    target = folder(jars[0].parent)
    if not _is_whole(target, jars):
        try:
            _build(jars, target)
        except (OSError, zipfile.BadZipFile) as error:
            # Another process may have been quicker.
            if not _is_whole(target, jars):
                message = f"{target} could not be made ({type(error).__name__})."
                raise Unavailable(message, hint="Run 'garage doctor --fix'.") from error
    return target


def damaged(jars: Path) -> tuple[str, ...]:
    """Return the names of the jars without signatures whose content is not what was written."""
    target = folder(jars)
    if not target.is_dir():
        return ()
    copies = [each for each in sorted(target.iterdir()) if not _is_same(each, jars / each.name)]
    return tuple(each.name for each in copies if not _is_sound(each))


def link(source: Path, target: Path) -> None:
    """Have one file under two names; two files where the file system cannot."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _is_whole(target: Path, jars: Sequence[Path]) -> bool:
    return all((target / jar.name).exists() for jar in jars)


def _build(jars: Sequence[Path], target: Path) -> None:
    building = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    try:
        for jar in jars:
            _put(jar, building / jar.name)
        shutil.rmtree(target, ignore_errors=True)
        building.rename(target)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _put(jar: Path, target: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        entries = archive.infolist()
        if not any(_is_signature(entry) for entry in entries):
            link(jar, target)
            return
        with zipfile.ZipFile(target, "w") as unsigned:
            for entry in entries:
                if not _is_signature(entry):
                    unsigned.writestr(entry, _content(archive, entry))


def _is_signature(entry: zipfile.ZipInfo) -> bool:
    name = entry.filename.upper()
    return name.startswith("META-INF/") and name.endswith(_SIGNATURES)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    content = archive.read(entry)
    if entry.filename != _MANIFEST:
        return content
    # Its first section is about the jar; those after it hold the digest of each entry.
    end = min(found for blank in (b"\r\n\r\n", b"\n\n") if (found := content.find(blank)) > 0)
    return content[:end] + b"\r\n\r\n"


def _is_same(file: Path, other: Path) -> bool:
    return other.exists() and file.samefile(other)


def _is_sound(jar: Path) -> bool:
    try:
        with zipfile.ZipFile(jar) as archive:
            return archive.testzip() is None
    except (OSError, zipfile.BadZipFile):
        return False
