"""Decoder of LY-204 frames, version 1: seven bytes, no temperature."""

from typing import NamedTuple

HEADER = b"LY"
SIZE = 7


class BadFrame(ValueError):
    """The bytes are no frame: wrong length, header or checksum."""


class Frame(NamedTuple):
    """One reading as the sensor sent it."""

    sensor: int
    distance_mm: int
    battery_mv: int


def decode(raw: bytes) -> Frame:
    """Decode one frame, or raise BadFrame."""
    if len(raw) != SIZE or not raw.startswith(HEADER):
        raise BadFrame(raw.hex())
    if sum(raw[:-1]) % 256 != raw[-1]:
        raise BadFrame(f"checksum of {raw.hex()}")
    return Frame(raw[2], int.from_bytes(raw[3:5], "big"), raw[5] * 20)
