"""Memory files: what assistants keep on disk under well-known names, as a table. No file is opened.

A source of kind memory that is a folder reads these files and no others. Patterns are those of
.gitignore, by the path below the root; of the source's own, later ones win over earlier ones and
over the table: `notes/*.md` adds, `!GEMINI.md` takes away, `!*` takes the whole table away.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from extraction import ignore_rules
from extraction.classes import PRUNED_FOLDERS
from extraction.ignore_rules import Lines


@dataclass(frozen=True, slots=True)
class Rule:
    """Files of one assistant, and the tag that their memories get."""

    tag: str
    patterns: tuple[str, ...]


RULES: Final = (
    Rule("claude", ("CLAUDE.md", "CLAUDE.local.md", ".claude/rules/**/*.md", "MEMORY.md")),
    Rule("claude", (".claude/projects/*/memory/*.md",)),
    Rule("agents", ("AGENTS.md", "AGENTS.override.md", "AGENT.md")),
    Rule("gemini", ("GEMINI.md",)),
    Rule("cursor", (".cursorrules", ".cursor/rules/**/*.mdc", ".cursor/rules/**/*.md")),
    Rule("copilot", ("copilot-instructions.md", ".github/instructions/**/*.instructions.md")),
    Rule("windsurf", (".windsurfrules", ".windsurf/rules/**/*.md", "global_rules.md")),
    Rule("cline", (".clinerules", ".clinerules/**/*.md", "memory-bank/*.md")),
    Rule("roo", (".roorules", ".roo/rules/**/*.md")),
    Rule("continue", (".continue/rules/**/*.md",)),
    Rule("junie", (".junie/guidelines.md",)),
    Rule("kiro", (".kiro/steering/**/*.md",)),
    Rule("amazon-q", (".amazonq/rules/**/*.md",)),
    Rule("trae", (".trae/rules/**/*.md",)),
    Rule("aider", ("CONVENTIONS.md",)),
    Rule("goose", (".goosehints",)),
    Rule("qwen", ("QWEN.md",)),
    Rule("warp", ("WARP.md",)),
    Rule("crush", ("CRUSH.md",)),
    Rule("zed", (".rules",)),
)
"""The well-known files."""

_TOOLS: Final = """
.git .hg .svn .jj .venv .tox .nox .cache .npm .yarn .pnpm-store .cargo .rustup .gradle .m2 .nuget
.mypy_cache .pytest_cache .ruff_cache .next .nuxt .terraform .trash .eggs .direnv
"""
PRUNED: Final = PRUNED_FOLDERS | frozenset(_TOOLS.split())
"""Folders of tools that are not entered; other hidden folders are, as memory files lie in them."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A folder of memory files that an assistant keeps for its user."""

    slug: str
    root: str
    """`~` is the user's home."""
    about: str
    patterns: tuple[str, ...] = ()


PRESETS: Final = (
    Preset("claude", "~/.claude", "What Claude Code is told and remembers"),
    Preset("codex", "~/.codex", "What Codex is told"),
    Preset("gemini", "~/.gemini", "What Gemini CLI is told"),
    Preset("cursor", "~/.cursor", "Rules of Cursor"),
    Preset("windsurf", "~/.codeium/windsurf", "Rules and memories of Windsurf", ("memories/*.md",)),
    Preset("cline", "~/Documents/Cline", "Rules of Cline", ("Rules/**/*.md",)),
    Preset("opencode", "~/.config/opencode", "What opencode is told"),
    Preset("goose", "~/.config/goose", "Hints of Goose"),
)
"""Folders that may be added with one word."""


def is_pruned(folder: str) -> bool:
    """Say whether a folder of this name is not entered."""
    return folder.lower() in PRUNED


def tag_of(path: str, root_name: str, patterns: Sequence[str]) -> str | None:
    """Return the tag of a memory file; empty for one that the source adds, None for no memory.

    The table also knows files by the root's own name: `rules/a.mdc` below a root `.cursor`.
    """
    found: str | None = None
    for tag, lines in _table():
        if any(_matches(each, lines) for each in (path, f"{root_name}/{path}")):
            found = tag
            break
    for line in _compiled(tuple(patterns)):
        if line.matches(path, is_folder=False):
            found = (found or "") if line.drops else None
    return found


def _matches(path: str, lines: Lines) -> bool:
    return any(line.matches(path, is_folder=False) for line in lines)


@cache
def _table() -> tuple[tuple[str, Lines], ...]:
    return tuple((rule.tag, ignore_rules.compiled(_anywhere(rule.patterns))) for rule in RULES)


def _anywhere(patterns: Sequence[str]) -> list[str]:
    """Return patterns so that one with a slash holds in any folder, too."""
    return [each if "/" not in each else f"**/{each}" for each in patterns]


@cache
def _compiled(patterns: tuple[str, ...]) -> Lines:
    return ignore_rules.compiled(patterns)
