"""Settings: one file, overridden by the environment. The only reader of the environment.

Precedence: environment, then `garage.json`, then the defaults that each room declares. A key that
nobody declares is refused with the nearest name that somebody does, a value outside its limits
with what is allowed and the line that it stands on.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args, get_type_hints

from annotated_types import Interval

from api import folders, settings_file, settings_fingerprint, settings_names, settings_values
from api.ops.settings import (
    IngestSettings,
    MaintenanceSettings,
    MemorySettings,
    OpsSettings,
    SearchSettings,
    WorkSettings,
)
from api.settings_file import Content
from api.settings_names import ALIASES, PREFIX, SECRETS, SPECIAL, Given, Problem
from extraction.embedding_settings import EmbeddingSettings
from extraction.settings import ReadingSettings
from graphstore.errors import InvalidInput
from graphstore.limits import SLUG, Matching, OneOf
from graphstore.privacy import CLASSES, TRUST_TIERS
from graphstore.records import SourceKind
from graphstore.settings import ServerSettings

__all__ = ["ALIASES", "PREFIX", "SECRETS", "SPECIAL", "Loaded", "Settings", "load", "sections"]


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """How the service listens, and when it stops."""

    port: Annotated[int, Interval(ge=0, le=65_535)] = 0
    """Port to listen on; 0 = the one it had last, when it is free, else any free one."""
    bind: Annotated[str, OneOf(("127.0.0.1", "0.0.0.0"))] = "127.0.0.1"  # noqa: S104 - no default
    """Address to listen on; `0.0.0.0` is for a container, whose ports its host publishes."""
    idle_minutes: Annotated[float, Interval(ge=0, le=525_600)] = 30.0
    """Minutes without client or work after which a background service stops; 0 = never."""


@dataclass(frozen=True, slots=True)
class McpSettings:
    """What assistants may do."""

    writes: Literal["stdio", "always", "never"] = "stdio"
    """Doors that offer write tools: only `garage mcp`, HTTP with a write token too, or none."""


@dataclass(frozen=True, slots=True)
class DataSettings:
    """Where things are kept."""

    folder: str | None = None
    """Data folder: graph, tokens, logs; empty = the platform's folder for data."""
    cache: str | None = None
    """Cache folder: jars and models, which can be fetched again; empty = the platform's."""


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """A source declared in the file."""

    slug: Annotated[str, Matching(SLUG, "a-z, digits and hyphens, a letter first, 40 at most")]
    """Name of the source: a-z, digits, hyphens."""
    root: str
    """Folder or file; `~` is your home."""
    kind: Annotated[str, OneOf(("", *get_args(SourceKind)))] = ""
    """filesystem, git, maildir, mbox, inbox or memory; empty = found out."""
    corpus_class: Annotated[str, OneOf(("", *CLASSES))] = ""
    """Class of its texts: communication, document, code, reference; empty = by kind."""
    trust: Annotated[str, OneOf(("", *TRUST_TIERS))] = ""
    """Trust in its texts: authored, received, reference; empty = by kind."""
    ignore: tuple[str, ...] = ()
    """Further patterns to ignore, as in .gitignore."""
    patterns: tuple[str, ...] = ()
    """Kind memory: further files that are memories, as in .gitignore; `!` takes away."""
    tags: tuple[str, ...] = ()
    """Kind memory: tags of every memory file."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, section by section."""

    data: DataSettings = field(default_factory=DataSettings)
    """Where things are kept."""
    neo4j: ServerSettings = field(default_factory=ServerSettings)
    """Which Neo4j is used."""
    service: ServiceSettings = field(default_factory=ServiceSettings)
    """How the service listens, and when it stops."""
    mcp: McpSettings = field(default_factory=McpSettings)
    """What assistants may do."""
    reading: ReadingSettings = field(default_factory=ReadingSettings)
    """How much is read of a file, and who the owner is."""
    ingest: IngestSettings = field(default_factory=IngestSettings)
    """How files become documents."""
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    """Which models turn text into vectors."""
    search: SearchSettings = field(default_factory=SearchSettings)
    """How search ranks, and what it remembers."""
    maintenance: MaintenanceSettings = field(default_factory=MaintenanceSettings)
    """What the service does by itself."""
    memory: MemorySettings = field(default_factory=MemorySettings)
    """How memories are trusted, recalled and forgotten."""
    work: WorkSettings = field(default_factory=WorkSettings)
    """How the queue is worked, and in which order."""
    sources: tuple[SourceSettings, ...] = ()
    """Sources that the file declares."""

    @property
    def ops(self) -> OpsSettings:
        """The settings of the operations."""
        return OpsSettings(self.ingest, self.search, self.maintenance, self.memory, self.work)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings with where each came from."""

    settings: Settings
    file: Path
    data_folder: Path
    cache_folder: Path
    origins: Mapping[str, str]
    """`section.key` → the file or the variable that set it; absent = default."""
    source: str = ""
    """Fingerprint of what the settings were made from."""

    def shown(self) -> dict[str, Any]:
        """Return every setting by `section.key`, secrets hidden."""
        return {
            name: "(hidden)" if name in SECRETS and value is not None else value
            for name, value in flat(self.settings).items()
        }


def load(config: str | None = None, environment: Mapping[str, str] | None = None) -> Loaded:
    """Read the settings.

    Raises:
        InvalidInput: the file is broken, or a key or value is none; the message names file and
            line or variable, key, and the nearest valid name or what is allowed.
    """
    variables = os.environ if environment is None else environment  # noqa: TID251 - its one reader
    path = folders.config_file(variables, config)
    is_named = bool(config or variables.get("GARAGE_CONFIG"))
    source = settings_fingerprint.source(path, variables)
    content = settings_file.read(path, is_named=is_named)
    given, values, problems = _examined(content, variables)
    if problems:
        raise refusal(problems)
    return Loaded(
        settings=_settings(values),
        file=path,
        data_folder=folders.data_folder(variables, config),
        cache_folder=folders.cache_folder(variables, config),
        origins={each.key: each.origin for each in given if each.key != "sources"},
        source=source,
    )


def problems(content: Content, environment: Mapping[str, str]) -> list[Problem]:
    """Return everything that is wrong with a file and an environment."""
    return _examined(content, environment)[2]


def refusal(found: Sequence[Problem]) -> InvalidInput:
    """Return the error that tells the first problem, and how many more there are."""
    first = found[0]
    more = f" 'garage config check' shows {len(found) - 1} more." if found[1:] else ""
    return InvalidInput(f"{first.place}: {first.what}", hint=f"{first.next}{more}")


def flat(settings: Settings) -> dict[str, Any]:
    """Return every setting by `section.key`; `sources` as a list."""
    values: dict[str, Any] = {}
    for section, content in asdict(settings).items():
        if isinstance(content, dict):
            items = cast("dict[str, Any]", content)
            values |= {f"{section}.{key}": value for key, value in items.items()}
        else:
            values[section] = content
    return values


@cache
def sections() -> dict[str, Any]:
    """Return the class of each section; `sources` has that of one source."""
    hints = get_type_hints(Settings)
    return {
        part.name: hints[part.name] if is_dataclass(hints[part.name]) else SourceSettings
        for part in fields(Settings)
    }


@cache
def kinds() -> dict[str, Any]:
    """Return the type of each setting by `section.key`, with its limits; `sources` as a whole."""
    found: dict[str, Any] = {"sources": tuple[SourceSettings, ...]}
    for section, cls in sections().items():
        if section != "sources":
            hints = get_type_hints(cls, include_extras=True)
            found |= {f"{section}.{part.name}": hints[part.name] for part in fields(cls)}
    return found


def _examined(
    content: Content, environment: Mapping[str, str]
) -> tuple[list[Given], dict[str, Any], list[Problem]]:
    """Return what is set, the values by key, and what is wrong with them."""
    from_file, unknown = _of_file(content)
    from_environment, misnamed = settings_names.variables(environment, kinds())
    given = [*from_file, *from_environment]
    values, invalid = settings_values.checked(given, kinds(), content)
    return given, values, [*unknown, *misnamed, *invalid]


def _of_file(content: Content) -> tuple[list[Given], list[Problem]]:
    given: list[Given] = []
    problems: list[Problem] = []
    for section, values in content.values.items():
        place, pointer = content.place(f"/{section}"), f"/{section}"
        if section == "$schema":
            continue
        if section not in sections():
            problems.append(settings_names.unknown(place, pointer, section, sections()))
        elif section == "sources":
            given.append(Given(section, values, str(content.path)))
            problems += _unknown_in_sources(content, values)
        elif isinstance(values, dict):
            table = cast("dict[str, Any]", values)
            problems += _unknown_in(content, pointer, table, sections()[section])
            known = [key for key in table if f"{section}.{key}" in kinds()]
            given += [Given(f"{section}.{key}", table[key], str(content.path)) for key in known]
        else:
            what = f'"{section}" holds no object.'
            problems.append(Problem(place, pointer, what, "", f'Write "{section}": {{…}}.'))
    return given, problems


def _unknown_in_sources(content: Content, values: Any) -> list[Problem]:
    entries = cast("list[Any]", values) if isinstance(values, list) else []
    return [
        problem
        for number, entry in enumerate(entries)
        if isinstance(entry, dict)
        for problem in _unknown_in(
            content, f"/sources/{number}", cast("dict[str, Any]", entry), SourceSettings
        )
    ]


def _unknown_in(
    content: Content, pointer: str, table: Mapping[str, Any], cls: Any
) -> list[Problem]:
    prefix = pointer[1:].replace("/", ".")
    known = {part.name: f"{prefix}.{part.name}" for part in fields(cls)}
    strange = {key: settings_file.below(pointer, key) for key in table if key not in known}
    return [
        settings_names.unknown(content.place(where), where, f"{prefix}.{key}", known.values())
        for key, where in strange.items()
    ]


def _settings(values: Mapping[str, Any]) -> Settings:
    settings = Settings(sources=values.get("sources", ()))
    for key, value in values.items():
        section, _, name = key.partition(".")
        if name:
            part = replace(getattr(settings, section), **{name: value})
            settings = replace(settings, **{section: part})
    return settings
