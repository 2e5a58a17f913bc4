"""The data folder as Garage's own: what marks it, and which folder can be one. Light to import."""

from pathlib import Path
from typing import Final

from graphstore.errors import InvalidInput

LOCK: Final = "service.lock"
"""The file that a service holds; where it lies, a Garage keeps its data."""
_IGNORE: Final = ".garageignore"
_ANOTHER: Final = "Name another one: GARAGE_DATA or data.folder."


def is_own(folder: Path) -> bool:
    """Say whether a Garage keeps its data in a folder."""
    return (folder / LOCK).is_file()


def require_usable(folder: Path) -> None:
    """Do nothing for a folder that can hold the data, be it that it is still to be made.

    Raises:
        InvalidInput: it is a file, or lies in the data folder of another Garage.
    """
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            message = f"{place} is a file, and the data folder is {folder}."
            raise InvalidInput(message, hint=_ANOTHER)
    for above in folder.parents:
        if is_own(above):
            message = f"{folder} lies in {above}, where another Garage keeps its data."
            raise InvalidInput(message, hint=_ANOTHER)


def keep_out(folder: Path) -> None:
    """Have every source pass over the data folder: logs and stores are nobody's documents."""
    file = folder / _IGNORE
    if not file.exists():
        file.write_text("*\n", encoding="utf-8")
