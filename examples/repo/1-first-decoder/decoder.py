"""Decoder of LY-204 frames, version 1: seven bytes, no temperature."""

from typing import NamedTuple

HEADER = b"LY"
SIZE = 7


class Frame(NamedTuple):
    """One reading as the sensor sent it."""

    sensor: int
    distance_mm: int
    battery_mv: int


def decode(raw: bytes) -> Frame:
    """Decode one frame."""
    return Frame(raw[2], int.from_bytes(raw[3:5], "big"), raw[5] * 20)
