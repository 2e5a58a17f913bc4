"""Classes: what a file is by its name and origin, as tables. No file is opened here."""

from pathlib import PurePosixPath
from typing import Final, Literal

from extraction.language import programming_language

READER_VERSION: Final = 3
"""Raised when a reader changes what it makes of the same bytes: every file is read again."""

Format = Literal[
    "markdown",
    "html",
    "pdf",
    "docx",
    "pptx",
    "xlsx",
    "odt",
    "ods",
    "odp",
    "epub",
    "rtf",
    "csv",
    "tsv",
    "json",
    "jsonl",
    "tex",
    "notebook",
    "code",
    "text",
    "mail",
    "mbox",
]

FORMATS: Final[dict[str, Format]] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mdx": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".odt": "odt",
    ".ods": "ods",
    ".odp": "odp",
    ".epub": "epub",
    ".rtf": "rtf",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".tex": "tex",
    ".latex": "tex",
    ".ltx": "tex",
    ".ipynb": "notebook",
    ".eml": "mail",
    ".mbox": "mbox",
}
"""Formats by suffix; any other file is code when its name tells a language, else text."""

MIMES: Final[dict[Format, str]] = {
    "markdown": "text/markdown",
    "html": "text/html",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "epub": "application/epub+zip",
    "rtf": "application/rtf",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "tex": "text/x-tex",
    "notebook": "application/x-ipynb+json",
    "code": "text/x-source",
    "text": "text/plain",
    "mail": "message/rfc822",
    "mbox": "message/rfc822",
}

CODE_MIMES: Final[dict[str, str]] = {
    "css": "text/css",
    "graphql": "application/graphql",
    "javascript": "text/javascript",
    "sql": "application/sql",
    "toml": "application/toml",
    "xml": "application/xml",
    "yaml": "application/yaml",
}
"""Registered media types of languages; of any other language it is `text/x-<language>`."""

_UNREAD: Final = """
.7z .a .aac .ai .aiff .apk .app .avi .avif .bin .blend .bmp .bz2 .cab .class .cur .dat .db
.deb .dll .dmg .doc .dylib .ear .eot .eps .exe .fig .flac .flv .gif .gz .heic .heif .icns
.ico .img .iso .jar .jpeg .jpg .key .lz4 .lzma .m4a .m4v .mkv .mo .mov .mp3 .mp4 .mpeg .mpg
.msf .msg .msi .npy .npz .numbers .o .obj .ogg .onnx .opus .otf .pages .parquet
.pdb .pkl .png .ppt .psd .pst .pt .pyc .pyd .pyo .rar .raw .rpm .safetensors .so .sqlite
.sqlite3 .svg .swf .tar .tgz .tif .tiff .ttf .war .wasm .wav .webm .webp .wma .wmv .woff .woff2
.xls .xlsb .xz .zip .zst
"""
_GENERATED: Final = """
package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock cargo.lock poetry.lock
uv.lock pdm.lock pipfile.lock composer.lock gemfile.lock go.sum flake.lock mix.lock
"""
_PRUNED: Final = """
node_modules bower_components __pycache__ __pypackages__ venv site-packages target dist build
coverage htmlcov deriveddata
"""

UNREAD_SUFFIXES: Final = frozenset(_UNREAD.split())
"""Suffixes that no reader knows: such a file is not opened."""

KEY_FILE: Final = "a file of keys or passwords: it is never stored"

GENERATED_NAMES: Final = frozenset(_GENERATED.split())
"""Lock files: long, made by a tool, and never searched for."""

KEY_NAMES: Final = frozenset(
    {
        *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ed25519_sk", "id_ecdsa_sk"),
        *(".env", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".npmrc", ".pypirc"),
    }
)
KEY_SUFFIXES: Final = frozenset(
    {".pem", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx", ".kdb", ".env", ".htpasswd"}
)
"""Files of keys and passwords: they are not opened, so that nothing of them is ever shown."""

PRUNED_FOLDERS: Final = frozenset(_PRUNED.split())
"""Folders of tools, besides all hidden ones; those that Git tracks are read all the same."""


def format_of(path: str) -> Format:
    """Return the format of a file by its name alone."""
    known = FORMATS.get(PurePosixPath(path).suffix.lower())
    return known or ("code" if programming_language(path) else "text")


def mime_of(form: Format, language: str | None) -> str:
    """Return the media type of a document, of code by its language."""
    if form != "code" or language is None:
        return MIMES[form]
    return CODE_MIMES.get(language, f"text/x-{language}")


def why_unread(path: str) -> str | None:
    """Return why a file of this name is not opened, or None when it is."""
    name = PurePosixPath(path).name.lower()
    suffix = PurePosixPath(name).suffix
    if name in KEY_NAMES or suffix in KEY_SUFFIXES or name.startswith(".env."):
        return KEY_FILE
    if suffix in UNREAD_SUFFIXES:
        return f"no reader for {suffix}"
    return "a lock file made by a tool" if name in GENERATED_NAMES else None


def class_of(found: str | None, default: str) -> str:
    """Return the class of a document from what its reader found and the source's default.

    A source of communication stays one whatever lies in it: only that class restricts egress.
    """
    return default if found is None or default == "communication" else found


def trust_of(*, is_own: bool, is_mail: bool, default: str) -> str:
    """Return the tier of trust: the owner's word, a message of others, or as the source says."""
    if is_own:
        return "authored"
    return "received" if is_mail else default
