"""Serve: the service. One ASGI application behind one guard, with its tokens and its lifetime."""
