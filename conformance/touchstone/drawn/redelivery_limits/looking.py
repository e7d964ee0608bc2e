"""The broker, as it is looked at while a program runs: dead letters, subscriptions, backlogs."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final, Protocol

from jms_model.pulsar_wire.looks import Raw
from jms_model.redelivery_limits.seen import ObservedSubscription

MARK: Final = "touchstone"
"""The property by which a message is known: the number of its case and its own."""
_PAUSE: Final = 0.2
"""Seconds between two looks."""
Letter = tuple[int, int]
"""The numbers of a case and of its message."""

NAMELESS: Final = (-1, -1)
"""That of a message which has lost the property."""


class AdministratorView(Protocol):
    """What an administrator of the broker sees."""

    def topics(self, namespace: str) -> Sequence[str]: ...
    def subscriptions(self, destination: str) -> Mapping[str, Any]: ...
    def stats(self, destination: str) -> Mapping[str, Any]: ...


class WireView(Protocol):
    """The independent client's view of the broker."""

    def messages(self, destination: str) -> Sequence[Raw]: ...


class ProgramBroker:
    """What concerns one program."""

    def __init__(
        self,
        admin: AdministratorView,
        wire: WireView,
        namespace: str,
        prefix: str,
        own: Sequence[str],
    ) -> None:
        """`own` are the destinations of its cases; all other topics hold dead letters."""
        self._admin = admin
        self._wire = wire
        self._namespace = namespace
        self._begin = f"persistent://{namespace}/{prefix}"
        self._own = frozenset(own)
        self._found: dict[str, tuple[int, Sequence[Letter]]] = {}
        self.latest: Mapping[str, Sequence[Letter]] = {}
        """The dead letters as they were looked at last."""

    def full_name(self, name: str) -> str:
        """The name of a topic that the program calls so."""
        return self._begin + name

    def letters(self) -> Mapping[str, Sequence[Letter]]:
        """The messages of each topic that is no case's own."""
        for name in self._others():
            topic = self.full_name(name)
            count = int(self._admin.stats(topic)["msgInCounter"])
            if self._found.get(name, (0, ()))[0] != count:
                self._found[name] = count, [*map(_letter, self._wire.messages(topic))]
        self.latest = {name: letters for name, (_, letters) in self._found.items()}
        return self.latest

    @contextmanager
    def looked_at(self) -> Iterator[None]:
        """Look for dead letters again and again while the block runs."""
        over = threading.Event()

        def look() -> None:
            while not over.wait(_PAUSE):
                self.letters()

        with ThreadPoolExecutor(1) as thread:
            looking = thread.submit(look)
            try:
                yield
            finally:
                over.set()
                looking.result()

    def _others(self) -> Sequence[str]:
        names = [
            topic.removeprefix(self._begin)
            for topic in self._admin.topics(self._namespace)
            if topic.startswith(self._begin)
        ]
        return [name for name in names if name not in self._own]

    def subscriptions(self, name: str) -> Mapping[str, ObservedSubscription]:
        """Those of a topic."""
        subscriptions = self._admin.subscriptions(self.full_name(name))
        return {
            key: ObservedSubscription(each.durable, each.backlog)
            for key, each in subscriptions.items()
        }

    def backlog(self, name: str) -> int:
        """Of all subscriptions of a topic."""
        return sum(each.backlog for each in self.subscriptions(name).values())

    def handed_out(self, name: str) -> int:
        """How many messages the consumers of a topic were sent, each as often as it was."""
        subscriptions = self._admin.subscriptions(self.full_name(name))
        return sum(each.msg_out_counter for each in subscriptions.values())


def _letter(raw: Raw) -> Letter:
    case, _, number = raw.properties.get(MARK, "").partition(".")
    if case.isdecimal() and number.isdecimal():
        return int(case), int(number)
    return NAMELESS
