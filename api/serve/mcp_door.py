"""MCP door: the MCP servers of the service, put together when the first assistant comes.

The SDK takes more than a second to import, and most services are started by a search.
"""

import contextlib
import importlib
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final, Literal

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.types import ASGIApp, Receive, Scope, Send

from api.ops.garage import Caller
from api.ops.hall import Hall
from api.serve.guard import LOCAL
from api.serve.tokens import Client

Writes = Literal["stdio", "always", "never"]
_CLIENT_NAME: Final = 100
_UNFIT: Final = re.compile(r"[^\w .,:;()+/@-]", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Servers:
    read: ASGIApp
    write: ASGIApp


class McpDoor:
    """Gives a caller the MCP server that it may use: the reading one, or the writing one.

    It answers while `open` is entered.
    """

    def __init__(self, hall: Hall, writes: Writes, version: str) -> None:
        self._hall = hall
        self._writes = writes
        self._version = version
        self._lock = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self._servers: _Servers | None = None

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Let callers in for the block; their sessions end with it."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            yield
            tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request to one of the two."""
        servers = await self._made()
        client: Client = scope["garage.client"]
        inner = {**scope, "path": "/mcp", "raw_path": b"/mcp"}
        if scope["path"] == LOCAL:
            may_write = self._writes != "never"
            inner["garage.caller"] = Caller(_relayed(scope), "mcp")
        else:
            may_write = self._writes == "always" and client.may_write
        await (servers.write if may_write else servers.read)(inner, receive, send)

    async def _made(self) -> _Servers:
        async with self._lock:
            if self._servers is None and self._tasks is not None:
                self._servers = await self._tasks.start(self._run)
        if self._servers is None:
            raise RuntimeError("The lifespan of the application has not begun.")
        return self._servers

    async def _run(self, *, task_status: TaskStatus[_Servers]) -> None:
        """Run the two servers until the task ends; their managers belong to one task."""
        await to_thread.run_sync(warm)
        from api.mcp.server import build_mcp

        read = build_mcp(self._hall, writes=False, version=self._version)
        write = build_mcp(self._hall, writes=True, version=self._version)
        servers = _Servers(
            read.streamable_http_app(stateless_http=True),
            write.streamable_http_app(stateless_http=True),
        )
        async with read.session_manager.run(), write.session_manager.run():
            task_status.started(servers)
            await anyio.sleep_forever()


def warm() -> None:
    """Import what the first assistant would wait for."""
    importlib.import_module("api.mcp.server")


def _relayed(scope: Scope) -> str:
    """Return the client's name as the relay tells it, in plain characters."""
    for name, value in scope["headers"]:
        if name == b"garage-client":
            told = _UNFIT.sub("", value.decode("latin-1"))
            return " ".join(told.split())[:_CLIENT_NAME] or "stdio"
    return "stdio"
