"""Which worker runs which scenario: the longest first, and none waits behind a long one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from xdist.scheduler import LoadScheduling

if TYPE_CHECKING:
    import pytest
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

LONG = 1.0
"""Seconds from which on it matters when a scenario begins."""


def next_one(
    pending: Sequence[int],
    ahead: int | None,
    seconds: Callable[[int], float],
    private: Callable[[int], str | None] = lambda _: None,
) -> int:
    """Which of `pending` a worker gets that is to run `ahead` before it: the longest.

    Behind a long one that is the first short one: another long one would wait there while other
    workers could run it. But behind one with a `private` broker it is another that asks for one of
    this profile, and is spared the start.
    """

    def length(index: int) -> float:
        return took if (took := seconds(index)) >= LONG else 0.0

    if ahead is not None and (profile := private(ahead)) is not None:
        alike = [index for index in pending if private(index) == profile]
        if alike:
            return max(alike, key=length)
    if ahead is not None and length(ahead):
        return min(pending, key=length)
    return max(pending, key=length)


class LongestFirst(LoadScheduling):
    """Gives scenarios one by one to whoever is free; those that are not long keep their order.

    A worker has one more than it runs, since it has to know what follows.
    """

    def __init__(
        self,
        config: pytest.Config,
        log: Producer,
        known: Callable[[], Mapping[str, float]],
        private: Callable[[], Mapping[str, str]],
    ) -> None:
        """Both are asked once all scenarios are collected.

        `known`: the seconds of scenarios by node id; `private`: the profiles of private brokers.
        """
        super().__init__(config, log)
        self.maxschedchunk = 1
        self._known = known
        self._private_of = private
        self._seconds: list[float] = []
        self._private: list[str | None] = []

    def _send_tests(self, node: WorkerController, num: int) -> None:
        assert self.collection is not None
        if not self._seconds:
            known = self._known()
            self._seconds = [known.get(name, 0.0) for name in self.collection]
            private = self._private_of()
            self._private = [private.get(name) for name in self.collection]
        given = self.node2pending[node]
        for _ in range(min(num, len(self.pending))):
            ahead = given[-1] if given else None
            index = next_one(
                self.pending, ahead, self._seconds.__getitem__, self._private.__getitem__
            )
            self.pending.remove(index)
            given.append(index)
            node.send_runtest_some([index])
