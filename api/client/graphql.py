"""GraphQL over HTTP: a stored operation goes out, its answer or a typed error comes back."""

import http.client
import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from typing import Any, Final, cast

from api.client.service import Place, Service, connect, wait_while_starting
from api.client.starting import attach
from graphstore.errors import (
    Conflict,
    GarageError,
    InvalidInput,
    NotFound,
    Refused,
    TooLarge,
    Unavailable,
)

ERRORS: Final[Mapping[str, type[GarageError]]] = {
    kind.code: kind
    for kind in (GarageError, NotFound, InvalidInput, Conflict, Refused, TooLarge, Unavailable)
}
"""What comes over the wire by `code`, as what it was on the other side."""

TIMEOUT_S: Final = 130.0
"""Longer than the service lets an operation take; a stream sends a sign of life every 15 s."""

_JSON = "application/json"
_SSE = "text/event-stream"


class Client:
    """Speaks to the service of one data folder, which is started when it is not there."""

    def __init__(self, place: Place) -> None:
        self.place: Final = place
        self._service: Service | None = None

    @property
    def service(self) -> Service:
        """The service, found or started at first use."""
        if self._service is None:
            service = attach(self.place)
            wait_while_starting(self.place, service)
            self._service = service
        return self._service

    def run(self, operation: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """Run a query or mutation and return its `data`.

        Raises:
            GarageError: what the service refused, as the subclass that its code names.
        """
        return _data(self.post("/graphql", _body(operation, variables)))

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Post JSON to the service with the owner's token; return the JSON of its answer.

        Raises:
            Unavailable: the service does not answer, or answers something else.
        """
        try:
            with closing(connect(self.service, TIMEOUT_S)) as connection:
                response = self._send(connection, path, body, _JSON)
                content: Any = json.loads(response.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _lost(self.service, error) from error
        return cast("dict[str, Any]", content)

    def follow(self, operation: str, variables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Run a subscription and yield the `data` of each event; closing it ends it.

        Raises:
            GarageError: what the service refused, or that it went away.
        """
        service = self.service
        with closing(connect(service, TIMEOUT_S)) as connection:
            try:
                response = self._send(connection, "/graphql", _body(operation, variables), _SSE)
                if not (response.headers.get("content-type") or "").startswith(_SSE):
                    _data(cast("dict[str, Any]", json.loads(response.read())))
                    return
                for name, data in events(response):
                    if name == "complete":
                        return
                    yield _data(cast("dict[str, Any]", json.loads(data)))
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise _lost(service, error) from error
        raise _lost(service, EOFError("the stream ended early"))

    def _send(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        body: Mapping[str, Any],
        accept: str,
    ) -> http.client.HTTPResponse:
        headers = {
            "Authorization": f"Bearer {self.service.token('owner')}",
            "Content-Type": _JSON,
            "Accept": accept,
        }
        connection.request("POST", path, json.dumps(body).encode(), headers)
        response = connection.getresponse()
        if response.status in _REFUSALS:
            message = f"The service refused the request ({response.status}): "
            raise Unavailable(message + _REFUSALS[response.status], hint="'garage stop' ends it.")
        return response


_REFUSALS: Final = {
    401: "its tokens are others by now.",
    403: "this is not allowed with the owner's token.",
    404: "it has no such page.",
    413: "it is too large.",
    421: "it does not know itself by this name.",
    500: "it failed; its log says why.",
}


def events(response: http.client.HTTPResponse) -> Generator[tuple[str, str]]:
    """Yield (name, data) of the events of a stream, until it ends."""
    name, data = "message", list[str]()
    while line := response.readline():
        text = line.decode("utf-8").rstrip("\r\n")
        field, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if not text:
            if data:
                yield name, "\n".join(data)
            name, data = "message", []
        elif field == "event":
            name = value
        elif field == "data":
            data.append(value)


def _body(operation: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    return {"query": operation, "variables": variables}


def _data(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of an answer, or raise what it says instead."""
    errors = cast("list[dict[str, Any]]", answer.get("errors") or [])
    if errors:
        first = errors[0]
        # Without a path it was refused before it ran: a variable is not what it should be.
        refused = {} if first.get("path") else {"code": InvalidInput.code}
        extensions = cast("dict[str, Any]", first.get("extensions") or {})
        raise _error({**refused, **extensions, "message": first.get("message", "It failed.")})
    data = cast("dict[str, Any]", answer.get("data") or {})
    for value in data.values():
        if isinstance(value, dict) and {"code", "message", "hint"} <= value.keys():
            raise _error(cast("dict[str, Any]", value))
    return data


def _error(problem: Mapping[str, Any]) -> GarageError:
    kind = ERRORS.get(str(problem.get("code")), GarageError)
    return kind(str(problem["message"]), hint=str(problem.get("hint") or ""))


def _lost(service: Service, error: Exception) -> Unavailable:
    what = str(error) or type(error).__name__
    message = f"The service on port {service.port} does not answer ({what})."
    return Unavailable(message, hint="'garage status' says how it stands; its log says why.")
