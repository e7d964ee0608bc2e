"""What the seconds of a piece of work go to, as far as what waits says it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum


class Purpose(StrEnum):
    """What takes time although nobody computes, or not in this process."""

    BROKER = "broker start"
    CONNECTING = "connecting"
    CONDITION = "condition"
    MESSAGE = "message"
    TIMEOUT = "the client's time-out"
    CONTROL = "control message"
    CLOSING = "closing"


Spent = dict[str, float]
_account: ContextVar[Spent | None] = ContextVar("account", default=None)


@contextmanager
def account_spending() -> Iterator[Spent]:
    """Seconds by purpose of what the block does, in this thread and those that take its context."""
    spent: Spent = defaultdict(float)
    token = _account.set(spent)
    try:
        yield spent
    finally:
        _account.reset(token)


@contextmanager
def spent_on(purpose: Purpose) -> Iterator[None]:
    """The seconds of the block are spent on this; whatever else they are spent on inside."""
    spent = _account.get()
    if spent is None:
        yield
        return
    token = _account.set(None)
    begun = time.perf_counter()
    try:
        yield
    finally:
        spent[purpose] += time.perf_counter() - begun
        _account.reset(token)
