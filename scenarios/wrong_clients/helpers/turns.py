"""Whose turn it is to be wrong, once in so many times."""

from __future__ import annotations

from weakref import WeakKeyDictionary


class Turn:
    """By whom it is asked: whether it is the turn, once in `every` times."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._asked: WeakKeyDictionary[object, int] = WeakKeyDictionary()

    def of(self, asker: object) -> bool:
        asked = self._asked[asker] = self._asked.get(asker, 0) + 1
        return asked % self._every == 0
