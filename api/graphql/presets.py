"""Presets: folders of memory files that assistants keep, offered as sources."""

from typing import Annotated

import strawberry

from api.graphql.context import Info
from api.graphql.problems import Unavailable
from api.graphql.types import described, shown
from api.ops import source_presets
from api.ops.source_presets import OfferedSource


@strawberry.type(description="A folder of memory files that an assistant keeps, as a source.")
class SourcePreset:
    """A source that may be added just so."""

    slug: str = described("A name for it.")
    root: str = described("Its folder.")
    patterns: list[str] = described("Files beside the well-known ones.")
    about: str = described("What is in it.")
    there: bool = described("Whether the folder is on this machine.")
    added: bool = described("Whether a source reads it already.")


def source_preset(record: OfferedSource) -> SourcePreset:
    """Return a preset as the schema shows it."""
    return shown(
        SourcePreset,
        record.request,
        about=record.about,
        there=record.is_there,
        added=record.is_added,
    )


@strawberry.type(description="Folders of memory files that may be added as sources.")
class SourcePresetList:
    """Folders of memory files that may be added as sources."""

    items: list[SourcePreset] = described("The presets.")


SourcePresetsResponse = Annotated[
    SourcePresetList | Unavailable,
    strawberry.union("SourcePresetsResponse", description="The presets, or why not."),
]


@strawberry.type
class PresetQuery:
    """What may be added with one word."""

    @strawberry.field(description="Folders of memory files that assistants keep, as sources.")
    async def source_presets(self, info: Info) -> SourcePresetsResponse:
        """Return the presets."""
        found = await info.context.run(source_presets.offered)
        return SourcePresetList(items=[source_preset(each) for each in found])
