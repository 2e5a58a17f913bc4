"""Extraction: bytes and text in; drafts and vectors out. The only door to the network."""
