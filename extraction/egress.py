"""Egress: the one door to the network, and the guard that stands before it.

Communication, and what is derived from it, never leaves the machine. A peer is asked with
deadlines, a cap on the bytes of its reply, no redirects and no proxies; so far it may only be on
this machine.
"""

import ipaddress
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol
from urllib.parse import urlsplit

from extraction.errors import BadReply, ProviderBusy
from graphstore import privacy
from graphstore.errors import InvalidInput, Refused, Unavailable

if TYPE_CHECKING:
    import httpx

_CONNECT_S: Final = 3.0
_PORT: Final = 11434
_TOO_MANY: Final = 429
_LONGEST_BREAK_S: Final = 3600.0


class Destination(Protocol):
    """Where text would go: a provider of embeddings or of answers."""

    @property
    def name(self) -> str:
        """What the owner calls it."""
        ...

    @property
    def is_local(self) -> bool:
        """False when text that it is given leaves this machine."""
        ...


def assert_may_send(corpus_class: str, destination: Destination) -> None:
    """Do nothing when text of that class may be given to `destination`.

    Raises:
        Refused: it may not. A class that is not known may go nowhere but here.
    """
    if destination.is_local:
        return
    is_known = corpus_class in privacy.CLASSES
    if not is_known or not privacy.may_leave_the_machine(corpus_class):
        what = corpus_class if is_known else "text of an unknown class"
        raise Refused(
            f"{destination.name} is on another machine, and {what} never leaves this one.",
            hint="Use a provider on this machine for it.",
        )


def loopback(address: str, setting: str) -> str:
    """Return the address of a server on this machine as `http://127.0.0.1:port`.

    Raises:
        InvalidInput: it is on another machine, or is no address; the message names the setting.
    """
    hint = f'Set "{setting}" to an address of this machine, as http://127.0.0.1:{_PORT}.'
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        host, port = parts.hostname or "", parts.port or _PORT
    except ValueError as error:
        raise InvalidInput(f"{setting} is not an address.", hint=hint) from error
    if parts.scheme != "http" or parts.username or parts.path.strip("/") or parts.query:
        raise InvalidInput(f"{setting} is not a plain http address.", hint=hint)
    # By number: a name may be led to another machine.
    host = "127.0.0.1" if host == "localhost" else host
    try:
        is_here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = False
    if not is_here:
        message = f"{setting} is {host}, which is not this machine: texts would leave it."
        raise InvalidInput(message, hint=hint)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply that was read whole."""

    status: int
    body: bytes
    retry_after_s: float

    def json(self) -> Any:
        """Return the body as JSON says it; no number in it is infinite or none.

        Raises:
            BadReply: it is no JSON.
        """
        try:
            return json.loads(self.body, parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise BadReply("a reply that is no JSON") from error


class Peer:
    """One server, asked over HTTP. Thread-safe. No message of it holds a text or a reply."""

    def __init__(self, name: str, address: str) -> None:
        # Imported here and below: a tenth of a second that only a model's server is worth.
        import httpx

        self._name = name
        self._address = address
        self._client = httpx.Client(
            base_url=address,
            follow_redirects=False,
            trust_env=False,
            timeout=_CONNECT_S,
            # On this machine a connection costs nothing, and one that is kept must be ended.
            limits=httpx.Limits(max_keepalive_connections=0),
            # Compressed, a small reply may be of any size.
            headers={"Accept-Encoding": "identity", "User-Agent": "garage"},
        )

    def ask(
        self, method: str, path: str, content: object, *, timeout_s: float, most_bytes: int
    ) -> Answer:
        """Return the answer to a request, also when it is an error of the server's own.

        Raises:
            ProviderBusy: it asks to be left alone for a while.
            BadReply: the reply is too long, or leads elsewhere.
            Unavailable: nobody answers in time.
        """
        import httpx

        body = None if content is None else json.dumps(content).encode()
        timeout = httpx.Timeout(timeout_s, connect=_CONNECT_S)
        headers = {"Content-Type": "application/json"} if body else {}
        try:
            with self._client.stream(
                method, path, content=body, headers=headers, timeout=timeout
            ) as response:
                answer = _read(response, time.monotonic() + timeout_s, most_bytes)
        except httpx.ConnectError as error:
            message = f"{self._name}: nothing listens at {self._address}."
            raise Unavailable(message, hint="Start the model's server.") from error
        except (httpx.TimeoutException, _TooSlow) as error:
            message = f"{self._name} did not answer within {timeout_s:g} s at {self._address}."
            raise Unavailable(message, hint="Look whether the model's server is well.") from error
        except httpx.HTTPError as error:
            message = f"{self._name} broke off its reply at {self._address}."
            raise Unavailable(message, hint="Look at the log of the model's server.") from error
        if answer.status == _TOO_MANY:
            raise ProviderBusy(self._name, answer.retry_after_s)
        return answer


class _TooSlow(Exception):
    """The reply goes on past its time."""


def _read(response: "httpx.Response", deadline: float, most_bytes: int) -> Answer:
    if response.is_redirect:
        raise BadReply("a redirection to another place, which is not followed")
    pieces: list[bytes] = []
    size = 0
    for piece in response.iter_raw():
        size += len(piece)
        if size > most_bytes:
            raise BadReply(f"a reply of more than {most_bytes:,} bytes")
        if time.monotonic() > deadline:
            raise _TooSlow
        pieces.append(piece)
    return Answer(response.status_code, b"".join(pieces), _retry_after(response))


def _retry_after(response: "httpx.Response") -> float:
    """Return the seconds that the server asks for; a date counts as none."""
    value = response.headers.get("Retry-After", "").strip()
    return min(float(value), _LONGEST_BREAK_S) if value.isdecimal() else 0.0


def _refuse(constant: str) -> NoReturn:
    message = f"{constant} is no number"
    raise ValueError(message)
