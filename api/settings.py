"""Settings: one file, overridden by the environment. The only reader of the environment.

Precedence: environment, then `garage.json`, then the defaults that each room declares. A key that
nobody declares is refused with the nearest name that somebody does.
"""

import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError

from api import folders, settings_file
from api.ops.settings import IngestSettings, MaintenanceSettings, OpsSettings, SearchSettings
from extraction.embedding_settings import EmbeddingSettings
from extraction.settings import ReadingSettings
from graphstore.errors import InvalidInput
from graphstore.settings import ServerSettings

PREFIX: Final = "GARAGE_"
SPECIAL: Final = {
    "GARAGE_CONFIG": "the settings file",
    "GARAGE_DATA": "the data folder, like `data.folder`",
    "GARAGE_CACHE": "the cache folder, like `data.cache`",
}
"""Names in the environment that stand for no section."""
ALIASES: Final = {
    "NEO4J_URI": "neo4j.uri",
    "NEO4J_USERNAME": "neo4j.username",
    "NEO4J_PASSWORD": "neo4j.password",
    "NEO4J_DATABASE": "neo4j.database",
    "GARAGE_DATA": "data.folder",
    "GARAGE_CACHE": "data.cache",
}
SECRETS: Final = frozenset({"neo4j.password"})
"""Settings that are never shown."""


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """How the service listens, and when it stops."""

    port: int = 0
    """Port on 127.0.0.1; 0 = the one it had last, when it is free, else any free one."""
    idle_minutes: float = 30.0
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

    slug: str
    """Name of the source: a-z, digits, hyphens."""
    root: str
    """Folder or file; `~` is your home."""
    kind: str = ""
    """filesystem, git, maildir, mbox or inbox; empty = found out."""
    corpus_class: str = ""
    """Class of its texts: communication, document, code, reference; empty = by kind."""
    trust: str = ""
    """Trust in its texts: authored, received, reference; empty = by kind."""
    ignore: tuple[str, ...] = ()
    """Further patterns to ignore, as in .gitignore."""


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
    sources: tuple[SourceSettings, ...] = ()
    """Sources that the file declares."""

    @property
    def ops(self) -> OpsSettings:
        """The settings of the operations."""
        return OpsSettings(self.ingest, self.search, self.maintenance)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings with where each came from."""

    settings: Settings
    file: Path
    data_folder: Path
    cache_folder: Path
    origins: Mapping[str, str]
    """`section.key` → the file or the variable that set it; absent = default."""

    def shown(self) -> dict[str, Any]:
        """Return every setting by `section.key`, secrets hidden."""
        return {
            name: "(hidden)" if name in SECRETS and value is not None else value
            for name, value in flat(self.settings).items()
        }


def load(config: str | None = None, environment: Mapping[str, str] | None = None) -> Loaded:
    """Read the settings.

    Raises:
        InvalidInput: the file is broken, or a key or value is none; the message names file or
            variable, key, and the nearest valid name.
    """
    variables = os.environ if environment is None else environment  # noqa: TID251 - its one reader
    path = folders.config_file(variables, config)
    is_named = bool(config or variables.get("GARAGE_CONFIG"))
    content = settings_file.read(path, is_named=is_named)
    _check_names(path, content)
    origins = {f"{s}.{k}": str(path) for s, values in content.items() for k in _keys(values)}
    for name, key, value in _variables(variables):
        section, _, item = key.partition(".")
        content.setdefault(section, {})[item] = value
        origins[key] = name
    return Loaded(
        settings=_validated(content, origins),
        file=path,
        data_folder=folders.data_folder(variables, config),
        cache_folder=folders.cache_folder(variables, config),
        origins=origins,
    )


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


def _keys(values: Any) -> list[str]:
    return list(cast("dict[str, Any]", values)) if isinstance(values, dict) else []


def _check_names(path: Path, content: dict[str, Any]) -> None:
    for section, values in content.items():
        if section not in sections():
            raise _unknown(f"{path}", section, list(sections()))
        if section == "sources":
            continue
        if not isinstance(values, dict):
            raise InvalidInput(f'{path}: "{section}" holds no object.')
        known = [f"{section}.{part.name}" for part in fields(sections()[section])]
        for key in cast("dict[str, Any]", values):
            if f"{section}.{key}" not in known:
                raise _unknown(f"{path}", f"{section}.{key}", known)


def _variables(environment: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return (variable, section.key, value) of every variable that sets something."""
    names = {
        f"{PREFIX}{section}__{part.name}".upper(): f"{section}.{part.name}"
        for section, cls in sections().items()
        if section != "sources"
        for part in fields(cls)
    }
    found: list[tuple[str, str, str]] = []
    for name in sorted(environment):
        if name in ALIASES and environment[name]:
            found.append((name, ALIASES[name], environment[name]))
        elif name.startswith(PREFIX) and name not in SPECIAL:
            if name not in names:
                raise _unknown("The environment", name, [*names, *SPECIAL])
            found.append((name, names[name], environment[name]))
    return found


def _unknown(place: str, name: str, known: list[str]) -> InvalidInput:
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"Did you mean '{nearest[0]}'?" if nearest else "'garage config show' lists the names."
    return InvalidInput(f"{place}: there is no setting '{name}'.", hint=hint)


def _validated(content: dict[str, Any], origins: Mapping[str, str]) -> Settings:
    values: dict[str, Any] = {}
    for section, given in content.items():
        kind: Any = tuple[SourceSettings, ...] if section == "sources" else sections()[section]
        try:
            values[section] = _adapter(kind).validate_python(_decoded(section, given, origins))
        except ValidationError as error:
            raise _invalid(section, error, origins) from error
    return Settings(**values)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _decoded(section: str, given: Any, origins: Mapping[str, str]) -> Any:
    """Decode what the environment says of lists and tables, which it writes as JSON."""
    if not isinstance(given, dict):
        return given
    items = cast("dict[str, Any]", given)
    return {
        key: json.loads(value)
        if f"{section}.{key}" in origins and isinstance(value, str) and value[:1] in "[{" and value
        else value
        for key, value in items.items()
    }


def _invalid(section: str, error: ValidationError, origins: Mapping[str, str]) -> InvalidInput:
    first = error.errors(include_url=False, include_input=False)[0]
    key = ".".join([section, *(str(part) for part in first["loc"])])
    origin = origins.get(".".join(key.split(".")[:2]), "the settings file")
    return InvalidInput(f"{key}, set by {origin}: {first['msg']}.", hint="See docs/settings.md.")
