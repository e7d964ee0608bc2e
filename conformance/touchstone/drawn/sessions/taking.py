"""Several consumers, of which one has the next message."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from jmsapi import Message
from touchstone.scenario.waits import Receiver

_BRIEF: Final = 15
"""Milliseconds for which each is asked before the next one is; twice as many each time."""
_LONGEST: Final = 240


class Taking:
    """Asks each in turn, again and again, as one consumer is asked."""

    def __init__(self, consumers: Mapping[str, Receiver]) -> None:
        self._consumers = consumers
        self.name = ""
        """The one that gave a message."""

    def receive(self, timeout: int | None = None) -> Message | None:
        """The next message of any; None: after so many milliseconds none had one."""
        end = None if timeout is None else time.monotonic() + timeout / 1000
        brief = _BRIEF
        while True:
            for name, consumer in self._consumers.items():
                message = consumer.receive(brief)
                if message is not None:
                    self.name = name
                    return message
            if end is not None and time.monotonic() >= end:
                return None
            brief = min(2 * brief, _LONGEST)
