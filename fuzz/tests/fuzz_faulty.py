"""Targets with each kind of fault, which the driver has to find; they are in no package."""

from __future__ import annotations

import os
import signal
import sys
import time

from fuzz.targets import Target


def _raises(data: bytes) -> None:
    if b"!" in data:
        raise KeyError(data)
    raise ValueError(data)


def _takes_memory(data: bytes) -> None:
    if b"!" in data:
        assert bytearray(200 << 20)


def _takes_time(data: bytes) -> None:
    until = time.process_time() + (0.3 if b"!" in data else 0.0)
    while time.process_time() < until:
        pass


def _crashes(data: bytes) -> None:
    if b"!" in data:
        os.kill(os.getpid(), signal.SIGSEGV)


def _hangs(data: bytes) -> None:
    while b"!" in data:
        pass


def _is_slow_where_it_is_instrumented(data: bytes) -> None:
    if data == b"fine" and "atheris" in sys.modules:
        _takes_time(b"!")


_PROMISES = (ValueError,)
TARGETS = (
    Target("faulty-raises", "fuzz", _raises, _PROMISES),
    Target("faulty-memory", "fuzz", _takes_memory),
    Target("faulty-time", "fuzz", _takes_time),
    Target("faulty-crash", "fuzz", _crashes),
    Target("faulty-nowhere", "fuzz", _is_slow_where_it_is_instrumented),
    Target("faulty-hang", "fuzz", _hangs),
)
