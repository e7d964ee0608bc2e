"""How such programs are drawn: which steps, on which subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jms_model.resources.arguments import Of
from jms_model.resources.connection_rules import CONNECTION_CONSUMERS
from jms_model.resources.things import QUEUES, Connection, Destination, Session
from touchstone.drawn.resources.asking import Asking
from touchstone.drawn.resources.growing import DECISIONS
from touchstone.drawn.resources.making import WITH_NAMES
from touchstone.drawn.resources.texts import (
    NAMES,
    NAMES_OF,
    OTHER_FORMS,
    VALID,
)

OBJECTS: Final = "objects"
"""The subject of programs on connections, sessions and contexts, and what these tell."""
CONSUMED: Final = "consumers"
"""On consumers and browsers, and what is given to the calls that make them."""
OTHER_DOMAIN: Final = "the other domain"
TEMPORARY: Final = "temporary destinations"
CLIENTS: Final = "client ids"
CONNECTION_CONSUMED: Final = "connection consumers"
ADMINISTERED: Final = "administered client ids"
_SHARES: Final[Mapping[str, Mapping[str, int]]] = {
    OBJECTS: {
        "open": 3, "session": 4, "destination": 2, "tell": 9, "meta": 4, "tune": 4, "close": 3,
        "late": 2, "wrong mode": 2, "producer": 3,
    },
    CONSUMED: {
        "session": 1, "destination": 1, "consumer": 6, "faulty": 7, "tell": 5, "look": 4,
        "close": 3, "late": 1,
    },
    OTHER_DOMAIN: {"refused": 8, "consumer": 4, "destination": 2, "tell": 2, "session": 1},
    TEMPORARY: {
        "session": 2, "temporary": 2, "consumer": 7, "broker": 2, "delete": 2, "close": 2,
        "tell": 3, "send": 3,
    },
    CLIENTS: {
        "open": 4, "session": 2, "identity": 9, "consumer": 6, "tune": 1, "unsubscribe": 3,
        "close": 3,
    },
    CONNECTION_CONSUMED: {"connection consumer": 6, "identity": 1, "close": 1, "consumer": 1},
    ADMINISTERED: {"open": 2, "session": 1, "identity": 6, "tune": 1, "consumer": 1, "close": 1},
}  # fmt: skip
"""How often a step of each kind is drawn."""


class Drawing(Asking):
    """A program about a subject."""

    def delete(self) -> None:
        """A temporary destination is deleted."""
        if names := self.names(Destination, where=lambda each: each.temporary):
            self.adds(self.pick(names), "delete")

    def broker(self) -> None:
        """Whether the broker has a temporary destination."""
        if names := self.names(Destination, where=lambda each: each.temporary):
            on = self.pick(names)
            self.adds(on, "is_gone" if self.world.objects[on].gone else "is_there")  # type: ignore[union-attr]

    def send(self) -> None:
        """A message to a destination that was deleted."""
        gone = self.names(Destination, where=lambda each: each.deleted)
        if gone and (sessions := self.sessions()):
            self.adds(self.pick(sessions), "send_to", Of(self.pick(gone)))

    def refused(self) -> None:
        """A call of the other domain, and perhaps one of the own."""
        of_one = self.names(Session, where=lambda each: each.domain and not each.closed_by)
        if not of_one:
            return
        on = self.pick(of_one)
        queues = self.names(Destination, where=lambda each: each.is_queue)
        topics = self.names(Destination, where=lambda each: not each.is_queue)
        if self.domain == QUEUES:
            method = self.pick(
                (*WITH_NAMES, "create_temporary_topic", "create_topic", "unsubscribe")
            )
        else:
            method = self.pick(("create_browser", "create_queue", "create_temporary_queue"))
        selector = self.draw(VALID)
        match method:
            case "create_temporary_topic" | "create_temporary_queue":
                args: tuple[Any, ...] = ()
            case "create_queue" | "create_topic":
                args = (self.pick([*NAMES_OF[method == "create_queue"], *OTHER_FORMS]),)
            case "unsubscribe":
                args = (self.draw(NAMES),)
            case "create_browser":
                args = self.pick([(), (selector,)])
                args = (Of(self.pick(queues)), *args)
            case _:
                forms: list[tuple[Any, ...]] = [(), (selector,)]
                if "shared" not in method:
                    forms = [(), (selector, self.flips())]
                args = (Of(self.pick(topics)), self.draw(NAMES), *self.pick(forms))
        self.adds(on, method, *args, makes="x")
        if self.draw(DECISIONS) < 4:
            self._goes_on(on)

    def connection_consumer(self) -> None:
        """A consumer of a subscription, of a connection for queues alone."""
        of_queues = self.names(Connection, where=lambda each: each.domain == QUEUES)
        topics = self.names(Destination, where=lambda each: not each.is_queue)
        method = self.pick(CONNECTION_CONSUMERS)
        self.adds(
            self.pick(of_queues), method, Of(self.pick(topics)), self.draw(NAMES), self.draw(VALID)
        )

    def _goes_on(self, on: str) -> None:
        is_queue = self.domain == QUEUES
        there = self.names(Destination, where=lambda each: each.is_queue == is_queue)
        own = "create_receiver" if is_queue else "create_subscriber"
        method = self.pick((own, "create_consumer", "create_producer"))
        self.adds(on, method, Of(self.pick(there)), makes="k")

    def turn(self) -> None:
        """Some step, or none."""
        shares = _SHARES[self.subject]
        kind = self.pick([kind for kind, share in shares.items() for _ in range(share)])
        getattr(self, kind.replace(" ", "_"))()
