"""Write docs/settings.md and docs/garage.schema.json from the settings classes.

Run it after a change; a test compares.

.venv/bin/python tools/make_settings_page.py
"""

import json
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, get_type_hints

from api.settings import ALIASES, PREFIX, SPECIAL, Settings, kinds, sections
from api.settings_schema import default, documented, schema
from api.settings_values import allowed

DOCS = Path(__file__).parent.parent / "docs"
TARGET = DOCS / "settings.md"
SCHEMA = DOCS / "garage.schema.json"

HEAD = """# Settings

Garage reads one file, `garage.json`, from the platform's folder for settings; `--config FILE` or
`GARAGE_CONFIG` names another. Every setting has a default, so the file may be missing. What the
environment says wins over the file. `garage config show --origin` tells where each value came
from. A name that does not exist is refused, with the nearest one that does.

```json
{
  "sources": [{"slug": "notes", "root": "~/notes"}],
  "search": {"limit": 20}
}
```

## Changing them

```
garage config set search.limit 20
garage config unset search.limit
garage config check
```

`set` takes JSON or plain text, checks it, and writes the file whole or not at all; everything else
in it stays. `check` shows everything that is wrong at once, with line and next step, and ends
with 2 when something is. Numbers in the file are written without quotes. A service that runs
keeps the settings that it started with: every command says so when they are others by now, and
`garage status` shows it; `garage stop`, then the next command starts it with the new ones.

Secrets have no place on a command line: write the password to a file that only you may read
(mode 0600) and set `neo4j.password_file` to it. The service does not start while others may read
that file, or a settings file with `neo4j.password` in it.

## In an editor

[garage.schema.json](garage.schema.json) is the JSON Schema of the file; `garage config schema`
prints the one of your version. Editors that know JSON Schema complete names, show defaults and
mark mistakes as you type, once the file says where the schema is:

```
garage config schema > garage.schema.json
```

next to `garage.json` (`garage config path` says where that is), and in it as the first line

```json
{"$schema": "./garage.schema.json"}
```

## In the environment

A setting in the environment is `GARAGE_SECTION__NAME`, for example `GARAGE_SEARCH__LIMIT=20`; lists
and tables are written as JSON. This page is generated from the code.
"""


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for section, cls in sections().items():
        parts.append(_section(section, cls))
    parts.append(_environment())
    return "\n".join(parts)


def schema_text() -> str:
    """Return the JSON Schema as it is committed."""
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"


def _section(section: str, cls: type) -> str:
    title = "sources (a list; each entry has)" if section == "sources" else section
    said = documented(cls)
    rows = [
        f"| `{part.name}` | {_default(part)} | {_allowed(section, part)} | {said[part.name]} |"
        for part in fields(cls)
    ]
    about = documented(Settings)[section]
    head = f"## {title}\n\n{about}\n" if about else f"## {title}\n"
    columns = ["| setting | default | allowed | what it does |", "|---|---|---|---|"]
    return "\n".join([head, *columns, *rows, ""])


def _allowed(section: str, part: Field[Any]) -> str:
    kind = (
        kinds().get(f"{section}.{part.name}")
        or get_type_hints(sections()[section], include_extras=True)[part.name]
    )
    return allowed(kind)


def _default(part: Field[Any]) -> str:
    value = default(part)
    if value is MISSING:
        return "(required)"
    if value is None or value in ("", []):
        return "empty"
    if isinstance(value, dict):
        return "the table below `api/ops/settings.py: DEFAULT_WEIGHTS`"
    return f"`{json.dumps(value)}`"


def _environment() -> str:
    rows = [f"| `{name}` | `{key}` |" for name, key in ALIASES.items()]
    rows += [f"| `{name}` | {what} |" for name, what in SPECIAL.items() if name not in ALIASES]
    return "\n".join(
        [
            "## Names in the environment",
            "",
            f"Besides `{PREFIX}SECTION__NAME`:",
            "",
            "| name | setting |",
            "|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
    SCHEMA.write_text(schema_text(), encoding="utf-8")
