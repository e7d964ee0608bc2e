"""What Java logs, written to Python's logging under the same logger's name."""

from __future__ import annotations

import logging
from typing import Any

_LEVELS = ((1000, logging.ERROR), (900, logging.WARNING), (800, logging.INFO))
"""Levels of java.util.logging, and Python's for these and all above."""
_CAUSES = 5
"""How many causes of an exception are told; two may name each other."""


def hand_over(level: int = logging.WARNING) -> None:
    """Have java.util.logging hand records of `level` and above to Python, and print none itself.

    Called again, it takes back nothing and hands over no record twice.
    """
    import jpype

    levels = jpype.JClass("java.util.logging.Level")
    root = jpype.JClass("java.util.logging.LogManager").getLogManager().getLogger("")
    lowest = next(number for number, python in _LEVELS if python == level)
    root.setLevel(levels.parse(str(lowest)))

    def is_loggable(record: Any) -> bool:
        _log(record)
        return False

    # A handler is a class, which Python cannot extend; its filter is an interface.
    listening = jpype.JProxy("java.util.logging.Filter", dict={"isLoggable": is_loggable})
    handlers = list(root.getHandlers())
    for handler in handlers[1:]:
        root.removeHandler(handler)
    for handler in handlers[:1]:
        handler.setLevel(levels.ALL)
        handler.setFilter(listening)


def _log(record: Any) -> None:
    number = int(record.getLevel().intValue())
    level = next((python for java, python in _LEVELS if number >= java), logging.DEBUG)
    name, text, thrown = record.getLoggerName(), record.getMessage(), record.getThrown()
    logging.getLogger(str(name)).log(level, "%s%s", str(text), _causes(thrown))


def _causes(thrown: Any) -> str:
    """What was thrown, and what led to it, each behind a colon."""
    told: list[str] = []
    while thrown is not None and len(told) < _CAUSES:
        told.append(f": {thrown.toString()}")
        thrown = thrown.getCause()
    return "".join(told)
