"""A network of its own: loopback, and one interface to everywhere else, whose packets are counted.

`python -m tests.faults.namespace COMMAND …`, as root, runs a command in a new network namespace
and prints, last, as JSON: its exit code and how many packets left for anywhere but loopback. The
interface is one end of a pair, with the default route and without address resolution, so that
every packet that a program sends is counted though nobody is there to answer. Where they went is
told too, as far as they are IPv4.
"""

import ctypes
import json
import os
import socket
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

_CLONE_NEWNET: Final = 0x40000000
_ALL: Final = 3
_IPV4: Final = 0x0800
_DNS: Final = 53
_PROTOCOLS: Final = {1: "icmp", 6: "tcp", 17: "udp"}
_SET_UP: Final = (
    "link set lo up",
    "link add out type veth peer name void",
    "link set out arp off",
    "link set void arp off",
    "address add 192.0.2.1/24 dev out",
    "link set out up",
    "link set void up",
    "route add default via 192.0.2.254 dev out onlink",
)


def enter() -> None:
    """Move this process into a network of its own.

    Raises:
        OSError: it may not.
        CalledProcessError: an interface cannot be made here.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    # IPv6 says hello by itself on each interface that comes up.
    for scope in ("all", "default"):
        file = Path(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6")
        if file.exists():
            file.write_text("1")
    for line in _SET_UP:
        subprocess.run(["ip", *line.split()], check=True, capture_output=True)


def packets() -> int:
    """Return how many packets left by the interface to everywhere else, or were refused there."""
    for line in Path("/proc/net/dev").read_text().splitlines():
        name, _, numbers = line.partition(":")
        if name.strip() == "out":
            columns = numbers.split()
            return int(columns[9]) + int(columns[11])  # sent, dropped
    message = "the interface is not there"
    raise LookupError(message)


def listening() -> socket.socket:
    """Return a socket that hears what arrives at the other end of the pair."""
    ear = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ALL))
    ear.bind(("void", 0))
    ear.setblocking(False)
    return ear


def heard(ear: socket.socket) -> dict[str, int]:
    """Return how many packets went where: `protocol address:port`, or the name that was asked for.

    Nobody answers there, so a program that looks a name up sends no more than its question.
    """
    found: Counter[str] = Counter()
    while True:
        try:
            packet, (_, kind, *_) = ear.recvfrom(2048)
        except BlockingIOError:
            return dict(found)
        if kind != _IPV4 or len(packet) < 24:
            found[f"ethernet type {kind:#06x}"] += 1
            continue
        start = (packet[0] & 15) * 4
        (port,) = struct.unpack("!H", packet[start + 2 : start + 4])
        name = _PROTOCOLS.get(packet[9], str(packet[9]))
        place = f"{name} {socket.inet_ntoa(packet[16:20])}:{port}"
        found[f"asks for {_question(packet[start + 8 :])}" if port == _DNS else place] += 1


def _question(message: bytes) -> str:
    """Return the name that a DNS message asks for (RFC 1035, 4.1.2)."""
    labels: list[str] = []
    at = 12
    while at < len(message) and (length := message[at]):
        labels.append(message[at + 1 : at + 1 + length].decode("ascii", "replace"))
        at += 1 + length
    return ".".join(labels)


def main() -> None:
    enter()
    before = packets()
    with listening() as ear:
        code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, check=False).returncode
        told = {"code": code, "packets": packets() - before, "to": heard(ear)}
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
