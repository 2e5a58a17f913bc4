"""Levels: from a raw distance to the height of the water. Pure arithmetic, no database."""

from statistics import median

SENSOR_HEIGHT_MM = {"boathouse": 4120, "mill-weir": 5300, "canal-lock": 3865}
BATCH_OFFSET_MM = {"2603": 0, "2604": -12}
CALIBRATED_AT_CELSIUS = 20.0
SOUND_PER_DEGREE = 0.0017
COLDEST_CELSIUS = -10.0


class TooCold(ValueError):
    """Below the coldest temperature the maker does not vouch for the distance."""


def compensate(distance_mm: float, celsius: float) -> float:
    """Correct a distance for the speed of sound at this air temperature."""
    if celsius < COLDEST_CELSIUS:
        raise TooCold(f"{celsius} degrees is below {COLDEST_CELSIUS}")
    return distance_mm * (1 + SOUND_PER_DEGREE * (celsius - CALIBRATED_AT_CELSIUS))


def level_mm(gauge: str, batch: str, distance_mm: float, celsius: float) -> int:
    """Return the level above the zero of the gauge, in millimetres."""
    distance = compensate(distance_mm, celsius) + BATCH_OFFSET_MM[batch]
    return round(SENSOR_HEIGHT_MM[gauge] - distance)


def settle(levels: list[int]) -> int:
    """Return one level for a handful: the median, because a duck must not count."""
    return round(median(levels))


def trend(levels: list[int], steady_mm: int = 20) -> str:
    """Say whether the water is rising, falling or steady over the given levels."""
    change = levels[-1] - levels[0]
    if abs(change) <= steady_mm:
        return "steady"
    return "rising" if change > 0 else "falling"
