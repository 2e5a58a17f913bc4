"""Client: finds or starts the service of a data folder and speaks GraphQL to it.

Only the standard library and only loopback, so that a command starts fast.
"""

from api.client.graphql import Client, events
from api.client.service import (
    SILENT,
    Health,
    Place,
    Service,
    connect,
    find,
    health,
    is_running,
    standing,
)
from api.client.starting import attach

__all__ = [
    "SILENT",
    "Client",
    "Health",
    "Place",
    "Service",
    "attach",
    "connect",
    "events",
    "find",
    "health",
    "is_running",
    "standing",
]
