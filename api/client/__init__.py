"""Client: finds or starts the service of a data folder and speaks GraphQL to it.

Only the standard library and only loopback, so that a command starts fast.
"""

from api.client.graphql import Client, events
from api.client.service import Place, Service, attach, connect, find, health, is_running

__all__ = [
    "Client",
    "Place",
    "Service",
    "attach",
    "connect",
    "events",
    "find",
    "health",
    "is_running",
]
