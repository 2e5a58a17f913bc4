"""Presets: folders of memory files that assistants keep, offered as sources."""

from dataclasses import dataclass
from pathlib import Path

from api.ops.garage import Garage
from api.ops.source_drafts import SourceRequest
from extraction.memory_files import PRESETS
from graphstore import sources


@dataclass(frozen=True, slots=True)
class OfferedSource:
    """A source that may be added just so."""

    request: SourceRequest
    about: str
    is_there: bool
    """Whether its folder is on this machine."""
    is_added: bool
    """Whether a source reads that folder already."""


def offered(garage: Garage) -> tuple[OfferedSource, ...]:
    """Return the presets, each with how it stands on this machine."""
    roots = {source.root for source in sources.listed(garage.graph)}
    return tuple(
        OfferedSource(
            request=SourceRequest(
                preset.slug, str(folder), kind="memory", patterns=preset.patterns
            ),
            about=preset.about,
            is_there=folder.is_dir(),
            is_added=str(folder.resolve()) in roots,
        )
        for preset in PRESETS
        for folder in [Path(preset.root).expanduser()]
    )
