"""Languages: of code by the file's name, of prose by its letters. Offline."""

import importlib
from collections.abc import Callable
from functools import cache
from pathlib import PurePosixPath
from typing import Final, cast

UNSURE: Final = "und"
_SAMPLE_CHARACTERS: Final = 2_000
_MIN_LETTERS: Final = 20

PROGRAMMING: Final = {
    language: tuple(suffixes.split())
    for language, suffixes in {
        "ada": ".adb .ads",
        "asm": ".asm .s",
        "awk": ".awk",
        "bash": ".sh .bash .zsh .ksh .fish .bats",
        "batch": ".bat .cmd",
        "bibtex": ".bib",
        "c": ".c .h",
        "clojure": ".clj .cljs .cljc .edn",
        "cpp": ".cc .cpp .cxx .hh .hpp .hxx .ino",
        "crystal": ".cr",
        "csharp": ".cs .csx",
        "css": ".css .scss .sass .less",
        "cypher": ".cypher .cql",
        "d": ".d",
        "dart": ".dart",
        "dockerfile": ".dockerfile",
        "elixir": ".ex .exs",
        "erlang": ".erl .hrl",
        "fortran": ".f .f90 .f95 .for",
        "fsharp": ".fs .fsx",
        "go": ".go",
        "graphql": ".graphql .gql",
        "groovy": ".groovy .gradle",
        "haskell": ".hs .lhs",
        "ini": ".ini .cfg .conf .properties",
        "java": ".java",
        "javascript": ".js .jsx .mjs .cjs",
        "json": ".json .jsonc .json5",
        "julia": ".jl",
        "kotlin": ".kt .kts",
        "lisp": ".lisp .lsp .el .scm .rkt",
        "lua": ".lua",
        "makefile": ".mk .mak .cmake",
        "matlab": ".m",
        "nim": ".nim",
        "nix": ".nix",
        "objectivec": ".mm",
        "ocaml": ".ml .mli",
        "pascal": ".pas .pp .dpr",
        "perl": ".pl .pm .t",
        "php": ".php .phtml",
        "powershell": ".ps1 .psm1",
        "protobuf": ".proto",
        "python": ".py .pyi .pyx",
        "r": ".r",
        "ruby": ".rb .rake .gemspec",
        "rust": ".rs",
        "scala": ".scala .sbt",
        "solidity": ".sol",
        "sql": ".sql .ddl .dml .psql",
        "svelte": ".svelte",
        "swift": ".swift",
        "tcl": ".tcl",
        "terraform": ".tf .tfvars .hcl",
        "toml": ".toml",
        "typescript": ".ts .tsx .mts .cts",
        "vb": ".vb .vbs .bas",
        "verilog": ".v .sv .vhd .vhdl",
        "vue": ".vue",
        "xml": ".xml .xsd .xsl .xslt .plist",
        "yaml": ".yaml .yml",
        "zig": ".zig",
    }.items()
}
"""Programming and configuration languages and their file suffixes."""

_BY_SUFFIX: Final = {s: language for language, suffixes in PROGRAMMING.items() for s in suffixes}
_BY_NAME: Final = {
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "cmakelists.txt": "makefile",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "jenkinsfile": "groovy",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "brewfile": "ruby",
    "justfile": "makefile",
    "procfile": "yaml",
}


def programming_language(path: str) -> str | None:
    """Return the programming language that a file's name tells, or None."""
    name = PurePosixPath(path).name.lower()
    known = _BY_NAME.get(name) or _BY_SUFFIX.get(PurePosixPath(name).suffix)
    # `Dockerfile.dev`, `Makefile.am`: what comes after the name says which one it is.
    return known or _BY_NAME.get(name.partition(".")[0])


def prose_language(text: str) -> str:
    """Return the ISO 639-1 code of prose; `und` for less than 20 letters.

    The first call loads the model (about a second).
    """
    sample = text[:_SAMPLE_CHARACTERS]
    if sum(map(str.isalpha, sample)) < _MIN_LETTERS:
        return UNSURE
    return _classifier()(sample)[0]


@cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    # Imported late: it brings its model into memory, and a search never needs it.
    module = importlib.import_module("py3langid")
    return cast("Callable[[str], tuple[str, float]]", module.classify)
