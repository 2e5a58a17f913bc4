"""Providers: what turns text into vectors, here or on a server of the owner's choice."""
