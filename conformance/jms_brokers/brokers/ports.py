"""Ports on the loopback address."""

from __future__ import annotations

import random
import socket

from jms_brokers.errors import BrokerError

_ADDRESS = "127.0.0.1"
# Below the ports that the kernel gives to outgoing connections, so that no client's connection sits
# on a broker's port while the broker restarts.
_RANGE = range(20000, 32000)


def free_ports(count: int) -> tuple[int, ...]:
    """Return `count` different ports that nobody listens on now; raises BrokerError."""
    candidates = random.SystemRandom().sample(_RANGE, 50 * count)
    free = [port for port in candidates if is_free(port)][:count]
    if len(free) < count:
        raise BrokerError(
            f"No {count} free ports between {_RANGE.start} and {_RANGE.stop}",
            hint="End programs that listen there, or wait until their connections are gone",
        )
    return tuple(free)


def is_free(port: int) -> bool:
    """Return whether a server could listen on `port` now."""
    with socket.socket() as probe:
        # As the JVM does: connections of an earlier server that are dying do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_ADDRESS, port))
        except OSError:
            return False
    return True


def require_free(*ports: int) -> None:
    """Raise BrokerError that names the first of `ports` that is taken."""
    for port in ports:
        if not is_free(port):
            raise BrokerError(
                f"Port {port} on {_ADDRESS} is taken",
                hint=f"End what listens there (`ss -ltnp 'sport = :{port}'` shows it; a broker of "
                "ours ends with `touchstone broker stop`), or use a profile with free ports",
            )
