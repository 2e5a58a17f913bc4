"""Alarms: three readings above a threshold start one, thirty calm minutes end it."""

from dataclasses import dataclass
from enum import Enum

READINGS_TO_START = 3
CALM_S = 30 * 60
CALM_MARGIN_MM = 100
SILENT_S = 20 * 60


class Severity(Enum):
    """How bad it is. A silent gauge is a kind of its own: it never looks like a calm one."""

    NOTICE = "notice"
    WARNING = "warning"
    SILENT = "silent"


@dataclass(frozen=True)
class Threshold:
    """A level of one gauge from which on people are told."""

    gauge: str
    severity: Severity
    level_mm: int


THRESHOLDS = (
    Threshold("boathouse", Severity.NOTICE, 1800),
    Threshold("boathouse", Severity.WARNING, 2400),
    Threshold("mill-weir", Severity.WARNING, 2900),
    Threshold("canal-lock", Severity.NOTICE, 1500),
)


def starts(threshold: Threshold, levels: list[int]) -> bool:
    """Say whether the last readings are all above the threshold."""
    last = levels[-READINGS_TO_START:]
    return len(last) == READINGS_TO_START and min(last) > threshold.level_mm


def ends(threshold: Threshold, history: list[tuple[int, int]], now: int) -> bool:
    """Say whether the level has been low for long enough; history is (moment, level)."""
    calm = threshold.level_mm - CALM_MARGIN_MM
    recent = [level for moment, level in history if moment >= now - CALM_S]
    return bool(recent) and max(recent) < calm


def is_silent(last_measured_at: int, now: int) -> bool:
    """Say whether a sensor has been quiet for too long."""
    return now - last_measured_at > SILENT_S
