"""Factories that are left open: closed when the interpreter ends, abandoned in forked children."""

from __future__ import annotations

import atexit
import os
import weakref
from contextlib import suppress
from functools import cache
from typing import Protocol

from jmsapi import JMSException, JMSRuntimeException


class OpenFactory(Protocol):
    """A factory that has a client of the broker."""

    def close(self) -> None:
        """End its threads and connections; once, or several times to no effect."""
        ...

    def abandon(self) -> None:
        """Count as closed, with all that it made: in this process its threads are missing."""
        ...


_open: weakref.WeakSet[OpenFactory] = weakref.WeakSet()


def close_at_exit(factory: OpenFactory) -> None:
    """Close `factory` when the interpreter ends, unless nobody has it any more by then.

    A child that is forked meanwhile abandons it.
    """
    _open.add(factory)


def forget(factory: OpenFactory) -> None:
    """Note that `factory` needs no closing any more."""
    _open.discard(factory)


@atexit.register
def _close_all() -> None:
    """End all threads before the interpreter goes: inside the native client one would crash."""
    for factory in list(_open):
        with suppress(JMSException, JMSRuntimeException):
            factory.close()


@cache
def close_before_java() -> None:
    """Close the factories while Java can still be called: what is registered last runs first."""
    atexit.register(_close_all)


def _abandon_all() -> None:
    for factory in list(_open):
        factory.abandon()
    _open.clear()


os.register_at_fork(after_in_child=_abandon_all)
