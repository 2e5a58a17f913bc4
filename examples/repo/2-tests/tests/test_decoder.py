import pytest
from decoder import BadFrame, decode


def frame(*body: int) -> bytes:
    raw = b"LY" + bytes(body)
    return raw + bytes([sum(raw) % 256])


def test_a_good_frame_is_decoded():
    assert decode(frame(1, 0x0C, 0x1C, 150)) == (1, 3100, 3000)


def test_a_damaged_frame_is_refused():
    with pytest.raises(BadFrame):
        decode(frame(1, 0x0C, 0x1C, 150)[:-1] + b"\x00")
