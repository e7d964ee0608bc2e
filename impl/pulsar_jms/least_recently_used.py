"""Which of many things that are kept for their next use may end. Pure: the caller ends them."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import Generic, TypeVar

Key = TypeVar("Key")


class LeastRecentlyUsed(Generic[Key]):
    """Keys in use, and those that wait for their next use, the one of longest ago first.

    A use lasts from `begin` to `end`, and a key may have several at once. Only what waits may end:
    beyond the bound, or when it has waited for so long. It counts until it is forgotten.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._uses: dict[Key, int] = {}
        self._waiting: dict[Key, float] = {}
        """Since when."""

    def begin(self, key: Key) -> None:
        """Note a use."""
        self._waiting.pop(key, None)
        self._uses[key] = self._uses.get(key, 0) + 1

    def end(self, key: Key, now: float) -> None:
        """Note the end of a use; `now` does not decrease from call to call."""
        left = self._uses.pop(key) - 1
        if left:
            self._uses[key] = left
        else:
            self._waiting[key] = now

    def in_use(self, key: Key) -> bool:
        """Whether it may not end."""
        return key in self._uses

    def surplus(self) -> list[Key]:
        """What may end so that no more than the bound are left, those in use included."""
        excess = len(self._uses) + len(self._waiting) - self._bound
        return list(islice(self._waiting, excess)) if excess > 0 else []

    def waiting_since(self, moment: float) -> list[Key]:
        """What has waited since then, or for longer."""
        return list(takewhile(lambda key: self._waiting[key] <= moment, self._waiting))

    def longest(self) -> float | None:
        """Since when the first waits; None where none does."""
        return next(iter(self._waiting.values()), None)

    def forget(self, key: Key) -> None:
        """Note that what waited has ended."""
        self._waiting.pop(key, None)
