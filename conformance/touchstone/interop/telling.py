"""Small observers that the partners share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from jms_clients.errors import ClientError
from jmsapi import Message
from touchstone.interop.parts import View
from touchstone.interop.script import (
    GROUPS,
    IN_EACH_GROUP,
)


class Missing(ClientError):
    """A message, or an answer, that has to come did not."""


C = TypeVar("C")
_WITHIN = 15.0
"""Seconds for all messages of all groups."""


def group_shares(consumers: Sequence[C], take: Callable[[C], str | None]) -> View:
    """By group, what came of it: its texts in order where one consumer got them all.

    `take` gives the text of a consumer's next message, or None when there is none now.
    """
    shares: list[list[str]] = [[] for _ in consumers]
    end = time.monotonic() + _WITHIN
    while sum(map(len, shares)) < len(GROUPS) * IN_EACH_GROUP and time.monotonic() < end:
        for consumer, share in zip(consumers, shares, strict=True):
            if (text := take(consumer)) is not None:
                share.append(text)
    return {f"group {group}": _told(group, shares) for group in GROUPS}


def _told(group: str, shares: Sequence[Sequence[str]]) -> str:
    of_each = [[text for text in share if text.startswith(f"{group}-")] for share in shares]
    return " | ".join(" ".join(texts) for texts in of_each if texts)


class Confirmations:
    """A completion listener that waits for a number of outcomes."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._done = threading.Condition()
        self._failure: Exception | None = None

    def on_completion(self, message: Message) -> None:
        """Count a confirmation."""
        self._count(None)

    def on_exception(self, message: Message, exception: Exception) -> None:
        """Count a failure and keep it."""
        self._count(exception)

    def wait(self, within: float) -> None:
        """Return when all outcomes are there; raises a failure, or `Missing` after seconds."""
        with self._done:
            if not self._done.wait_for(lambda: self._left <= 0, within):
                raise Missing(f"{self._left} sends were not confirmed within {within:g} s")
        if self._failure is not None:
            raise self._failure

    def _count(self, failure: Exception | None) -> None:
        with self._done:
            self._left -= 1
            self._failure = self._failure or failure
            self._done.notify_all()
