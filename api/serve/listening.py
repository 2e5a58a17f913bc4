"""Listening: uvicorn, as the service runs it."""

import threading
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp


class Server(uvicorn.Server):
    """Ends what is under way as soon as it is told to stop, before its connections end."""

    def __init__(self, app: ASGIApp, stop_work: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=3,
                lifespan="on",
                ws="websockets-sansio",
            )
        )
        self._stop_work = stop_work

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Hear a signal, in the middle of whatever holds a lock: so work ends on a thread."""
        threading.Thread(target=self._stop_work, name="ending", daemon=True).start()
        super().handle_exit(sig, frame)
