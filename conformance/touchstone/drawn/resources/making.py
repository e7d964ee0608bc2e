"""Steps that make something: connections, sessions, destinations, consumers, browsers."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from jms_model.resources.arguments import FOREIGN, NO_SELECTOR, Of, Selector
from jms_model.resources.rules import CONNECTIONS, CONSUMERS, FACTORY
from jms_model.resources.things import (
    AUTO,
    MODES,
    QUEUES,
    Connection,
    Destination,
    Session,
)
from touchstone.drawn.resources.growing import DECISIONS, Growing
from touchstone.drawn.resources.texts import (
    MALFORMED,
    NAMES,
    NAMES_OF,
    NO_MODES,
    VALID,
)

_OPEN: Final = 4
"""Connections of a program."""
_CONSUMERS: Final = 5
WITH_NAMES: Final = CONSUMERS[3:7]
"""The calls that name a subscription."""
_METHODS: Final = (*CONSUMERS, "create_browser", "create_browser")


class Making(Growing):
    """Draws what is made."""

    def open(self) -> str:
        """A connection, or a context."""
        if sum(not each.closed for each in self.world.connections) >= _OPEN:
            return ""
        if self.simplified:
            mode = (self.pick(MODES),) if self.flips() else ()
            return self.adds(FACTORY, "create_context", *mode, makes="s")
        method = next(each for each, domain in CONNECTIONS.items() if domain == self.domain)
        return self.adds(FACTORY, method, makes="c")

    def session(self) -> str:
        """A session, in each form of the call; or another context."""
        if self.simplified:
            on = self.names(Session)
            return (
                self.adds(self.pick(on), "create_context", self.pick(MODES), makes="s")
                if on
                else ""
            )
        connections = self.names(Connection)
        if not connections:
            return ""
        form = self.pick(
            [(), (False,), (True,), (False, 2), (False, 3), (True, AUTO), (True, 2), (True, 0)]
        )
        method = {"": "create_session", QUEUES: "create_queue_session"}.get(
            self.domain, "create_topic_session"
        )
        return self.adds(self.pick(connections), method, *form, makes="s")

    def wrong_mode(self) -> None:
        """Contexts of modes that there are not, and one of a right mode behind them."""
        if not self.simplified:
            return
        mode = self.pick(NO_MODES)
        if self.flips():
            self.adds(FACTORY, "create_context", mode, makes="s")
            self.open()
        elif sessions := self.sessions():
            self.adds(self.pick(sessions), "create_context", mode, makes="s")
            self.adds(self.pick(sessions), "create_context", self.pick(MODES), makes="s")

    def destination(self) -> str:
        """A queue or topic."""
        if not (sessions := self.sessions()):
            return ""
        is_queue = self.flips()
        method = "create_queue" if is_queue else "create_topic"
        name = self.pick(NAMES_OF[is_queue])
        made = self.adds(self.pick(sessions), method, name, makes="q" if is_queue else "t")
        if made:
            self.adds(made, "get_name")
        return made

    def temporary(self) -> str:
        """A temporary queue or topic."""
        if not (sessions := self.sessions()):
            return ""
        is_queue = self.flips()
        method = "create_temporary_queue" if is_queue else "create_temporary_topic"
        made = self.adds(self.pick(sessions), method, makes="q" if is_queue else "t")
        if made and self.flips():
            self.adds(made, "get_name")
        return made

    def consumer(self) -> str:
        """A consumer or browser, in each form of each call."""
        return self._consumes(self.pick(_METHODS), VALID)

    def producer(self) -> str:
        """A producer, for a destination or for none."""
        if not (sessions := self.sessions()):
            return ""
        there = self.names(Destination, where=lambda each: not each.gone)
        args = (Of(self.pick(there)),) if there and self.flips() else ()
        return self.adds(self.pick(sessions), "create_producer", *args, makes="p")

    def faulty(self) -> None:
        """One for null, for a destination of nobody, or with a text that is no selector."""
        method = self.pick(_METHODS)
        fault = self.draw(DECISIONS)
        if fault < 4:
            self._consumes(method, VALID, destination=None)
        elif fault < 5:
            self._consumes(method, MALFORMED, destination=None)
        elif fault < 6:
            if sessions := self.sessions():
                self.adds(self.pick(sessions), "create_producer", FOREIGN, makes="p")
                self._consumes("create_consumer", VALID, destination=FOREIGN)
        else:
            self._consumes(method, MALFORMED)

    def _consumes(
        self,
        method: str,
        selectors: st.SearchStrategy[Selector],
        destination: Any = NO_SELECTOR,
    ) -> str:
        if len([*self.world.consumers()]) >= _CONSUMERS or not (sessions := self.sessions()):
            return ""
        if destination is NO_SELECTOR:
            is_queue = method in ("create_browser", "create_receiver") or (
                method == "create_consumer" and self.flips()
            )
            there = self.names(Destination, where=lambda each: each.is_queue == is_queue)
            if not there:
                return ""
            destination = Of(self.pick(there))
        session = self.pick(sessions)
        selector = self.draw(selectors)
        with_name = (self.draw(NAMES),) if method in WITH_NAMES else ()
        rest: tuple[Any, ...] = (selector,)
        if selector == NO_SELECTOR and self.flips():
            rest = ()
        elif method not in ("create_browser", "create_receiver") and "shared" not in method:
            full = method in ("create_durable_consumer", "create_durable_subscriber")
            rest = (selector, self.flips()) if full or self.flips() else rest
        made = self.adds(session, method, destination, *with_name, *rest, makes="k")
        if made and self.draw(DECISIONS) < 4:
            self.adds(made, "get_message_selector")
        return made
