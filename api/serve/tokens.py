"""Tokens: who may call. One named token per client; only hashes are kept.

The name of a token is its client's identity. Besides the named ones there are, for as long as one
service runs, the owner's own secret (the command line), the relay's (stdio), and the sessions of
browsers that came by a one-time link.
"""

import hashlib
import hmac
import json
import re
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast

from filelock import FileLock

from api.serve import lifetime
from graphstore.errors import Conflict, InvalidInput, NotFound

CLI: Final = "cli"
RELAY: Final = "relay"
OWNER: Final = "owner"
_RESERVED: Final = frozenset({CLI, RELAY, OWNER, "garage", "service"})
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_SECRET_BYTES: Final = 32
_LOGIN_S: Final = 60.0
_MAX_SESSIONS: Final = 100


@dataclass(frozen=True, slots=True)
class Token:
    """A named token, without its secret."""

    name: str
    may_write: bool
    sha256: str
    """Of the secret, hex. It is 256 random bits, so a plain hash is enough."""


@dataclass(frozen=True, slots=True)
class Client:
    """Who calls, as proved by a secret."""

    name: str
    kind: Literal["cli", "relay", "token", "session"]
    may_write: bool


class Tokens:
    """The named tokens of one data folder, in `tokens.json`. Safe for several processes."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "tokens.json"
        self._lock = FileLock(folder / "tokens.json.lock", mode=0o600, thread_local=False)
        self._seen: tuple[int, int, int] | None = None
        self._tokens: tuple[Token, ...] = ()

    def add(self, name: str, may_write: bool) -> str:
        """Add a token and return its secret, which is shown this once and kept nowhere.

        Raises:
            InvalidInput: the name cannot name a client.
            Conflict: there is one of this name.
        """
        if not _NAME.fullmatch(name) or name.lower() in _RESERVED:
            message = f"{name[:50]!r} cannot name a client."
            raise InvalidInput(message, hint="Use letters, digits, '.', '_' and '-', at most 40.")
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        with self._lock:
            tokens = self._read()
            if any(token.name == name for token in tokens):
                message = f"There is a token named '{name}'."
                raise Conflict(message, hint="Remove it first, or take another name.")
            self._write((*tokens, Token(name, may_write, _hash(secret))))
        return secret

    def remove(self, name: str) -> None:
        """Remove a token; whoever has it is refused from the next request on.

        Raises:
            NotFound: there is none of this name.
        """
        with self._lock:
            tokens = self._read()
            kept = tuple(token for token in tokens if token.name != name)
            if len(kept) == len(tokens):
                message = f"There is no token named '{name[:50]}'."
                raise NotFound(message, hint="'garage token list' shows them.")
            self._write(kept)

    def listed(self) -> tuple[Token, ...]:
        """Return the tokens by name.

        Raises:
            InvalidInput: the file cannot be read as one of ours.
        """
        return tuple(sorted(self._read(), key=lambda token: token.name))

    def of(self, digest: str) -> Token | None:
        """Return the token whose secret has this hash. Takes equally long for every hash."""
        found = None
        for token in self._current():
            if hmac.compare_digest(token.sha256, digest):
                found = token
        return found

    def _current(self) -> tuple[Token, ...]:
        """Return the tokens, read again when the file changed; none when it cannot be read."""
        try:
            stat = self._path.stat()
            signature = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            if signature != self._seen:
                self._tokens, self._seen = self._read(), signature
        except (OSError, InvalidInput):
            self._tokens, self._seen = (), None
        return self._tokens

    def _read(self) -> tuple[Token, ...]:
        try:
            content: Any = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return ()
        except ValueError as error:
            raise self._broken() from error
        try:
            rows = cast("list[dict[str, Any]]", content["tokens"])
            return tuple(
                Token(str(row["name"]), row["may_write"] is True, str(row["sha256"]))
                for row in rows
            )
        except (TypeError, KeyError) as error:
            raise self._broken() from error

    def _broken(self) -> InvalidInput:
        return InvalidInput(f"{self._path} is no token file.", hint="Remove it; add tokens again.")

    def _write(self, tokens: tuple[Token, ...]) -> None:
        """Write the file whole under another name, then rename it. Its mode is 0600 throughout."""
        content = {"version": 1, "tokens": [asdict(token) for token in tokens]}
        lifetime.write_private(self._path, json.dumps(content, indent=1))


class Auth:
    """Who a request comes from. Thread-safe."""

    def __init__(self, tokens: Tokens, port: int) -> None:
        self.owner_secret: Final = secrets.token_urlsafe(_SECRET_BYTES)
        self.relay_secret: Final = secrets.token_urlsafe(_SECRET_BYTES)
        # Ports of a host share their cookies, hence the port in the name.
        self.cookie_name: Final = f"garage_{port}"
        self._tokens = tokens
        self._own: tuple[tuple[str, Client], ...] = (
            (_hash(self.owner_secret), Client(CLI, "cli", may_write=True)),
            (_hash(self.relay_secret), Client(RELAY, "relay", may_write=True)),
        )
        self._lock = threading.Lock()
        self._keys: dict[str, float] = {}
        self._sessions: dict[str, None] = {}

    def bearer(self, header: str) -> Client | None:
        """Return whom the `Authorization` header proves, or nobody."""
        scheme, _, secret = header.partition(" ")
        if scheme.lower() != "bearer" or not secret:
            return None
        digest = _hash(secret.strip())
        found = None
        for own, client in self._own:
            if hmac.compare_digest(own, digest):
                found = client
        token = self._tokens.of(digest)
        return found or (Client(token.name, "token", token.may_write) if token else None)

    def session(self, cookies: Mapping[str, str]) -> Client | None:
        """Return the owner when a cookie proves a browser's session, else nobody."""
        digest = _hash(cookies.get(self.cookie_name, ""))
        with self._lock:
            known = digest in self._sessions
        return Client(OWNER, "session", may_write=True) if known else None

    def login_key(self) -> str:
        """Return a key that opens one browser session within 60 s."""
        key = secrets.token_urlsafe(_SECRET_BYTES)
        now = time.monotonic()
        with self._lock:
            self._keys = {k: until for k, until in self._keys.items() if until > now}
            self._keys[_hash(key)] = now + _LOGIN_S
        return key

    def login(self, key: str) -> str | None:
        """Use a login key up and return the secret of a new session; None when it opens nothing."""
        with self._lock:
            until = self._keys.pop(_hash(key), 0.0)
            if until <= time.monotonic():
                return None
            secret = secrets.token_urlsafe(_SECRET_BYTES)
            if len(self._sessions) >= _MAX_SESSIONS:
                self._sessions.pop(next(iter(self._sessions)))
            self._sessions[_hash(secret)] = None
        return secret


def _hash(secret: str) -> str:
    # A header may hold what UTF-8 cannot: it is no secret of ours, and no reason to fail.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
