"""Readings: what the sensors said, kept as it was said. Rows are inserted and never changed."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

RAW_DAYS = 400
BATCH = 200

SCHEMA = """
CREATE TABLE IF NOT EXISTS reading (
    sensor      TEXT    NOT NULL,
    measured_at INTEGER NOT NULL,  -- seconds since 1970, UTC
    distance_mm INTEGER NOT NULL,
    celsius     REAL,
    arrived_at  INTEGER NOT NULL,
    PRIMARY KEY (sensor, measured_at)
);
CREATE TABLE IF NOT EXISTS correction (
    sensor     TEXT    NOT NULL,
    valid_from INTEGER NOT NULL,
    valid_to   INTEGER,
    known_at   INTEGER NOT NULL,  -- the day on which we learned it
    offset_mm  INTEGER NOT NULL
);
"""


@dataclass(frozen=True)
class Reading:
    """One measurement of one sensor, raw."""

    sensor: str
    measured_at: int
    distance_mm: int
    celsius: float | None
    arrived_at: int


def connect(path: str) -> sqlite3.Connection:
    """Open the gauge book; the write-ahead log lets the page read while we write."""
    book = sqlite3.connect(path)
    book.execute("PRAGMA journal_mode = WAL")
    book.executescript(SCHEMA)
    return book


def insert(book: sqlite3.Connection, readings: Iterable[Reading]) -> int:
    """Insert readings in batches and return how many were new.

    A sensor sends a reading again until it is acknowledged, so repeats are normal: the key
    drops them. Acknowledge only after this function has returned.
    """
    rows = [(r.sensor, r.measured_at, r.distance_mm, r.celsius, r.arrived_at) for r in readings]
    new = 0
    for start in range(0, len(rows), BATCH):
        with book:
            cursor = book.executemany(
                "INSERT OR IGNORE INTO reading VALUES (?, ?, ?, ?, ?)",
                rows[start : start + BATCH],
            )
            new += cursor.rowcount
    return new


def thin_out(book: sqlite3.Connection, now: int) -> int:
    """Delete raw readings older than RAW_DAYS; the hourly means were written before."""
    with book:
        return book.execute(
            "DELETE FROM reading WHERE measured_at < ?", (now - RAW_DAYS * 86_400,)
        ).rowcount
