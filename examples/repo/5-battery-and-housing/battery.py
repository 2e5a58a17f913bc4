"""How long a sensor still runs, from the voltage of its two cells."""

FULL_MV = 3200
EMPTY_MV = 2400
MONTHS = 14


def months_left(battery_mv: int) -> float:
    """Return the months left, along a straight line: cautious, since cells die late and fast."""
    share = (battery_mv - EMPTY_MV) / (FULL_MV - EMPTY_MV)
    return round(MONTHS * min(max(share, 0.0), 1.0), 1)
