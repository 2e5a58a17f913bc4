"""Write docs/settings.md from the settings classes. Run it after a change; a test compares.

.venv/bin/python tools/make_settings_page.py
"""

import ast
import inspect
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from api.settings import ALIASES, PREFIX, SPECIAL, Settings, sections

TARGET = Path(__file__).parent.parent / "docs" / "settings.md"

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

In the environment a setting is `GARAGE_SECTION__NAME`, for example `GARAGE_SEARCH__LIMIT=20`; lists
and tables are written as JSON. This page is generated from the code.
"""


def documented(cls: type) -> dict[str, str]:
    """Return what the docstring under each field says; empty where there is none."""
    body = ast.parse(inspect.getsource(cls)).body[0]
    assert isinstance(body, ast.ClassDef)
    said: dict[str, str] = {part.name: "" for part in fields(cls)}
    for before, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(before, ast.AnnAssign)
            and isinstance(before.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            said[before.target.id] = " ".join(str(after.value.value).split())
    return said


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for section, cls in sections().items():
        parts.append(_section(section, cls))
    parts.append(_environment())
    return "\n".join(parts)


def _section(section: str, cls: type) -> str:
    title = "sources (a list; each entry has)" if section == "sources" else section
    said = documented(cls)
    rows = [f"| `{part.name}` | {_default(part)} | {said[part.name]} |" for part in fields(cls)]
    about = documented(Settings)[section]
    head = f"## {title}\n\n{about}\n" if about else f"## {title}\n"
    return "\n".join([head, "| setting | default | what it does |", "|---|---|---|", *rows, ""])


def _default(part: Field[Any]) -> str:
    if part.default is not MISSING:
        value = part.default
    elif part.default_factory is not MISSING:
        value = part.default_factory()
    else:
        return "(required)"
    if value is None or value in ("", ()):
        return "empty"
    if isinstance(value, dict):
        return "the table below `api/ops/settings.py: DEFAULT_WEIGHTS`"
    return f"`{list(value) if isinstance(value, tuple) else value}`"


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
