"""Steps on what is there: getters, setters, client ids, and calls behind close."""

from __future__ import annotations

from typing import Any

from jms_model.resources.arguments import Of, Unique
from jms_model.resources.rules import META_DATA, PRODUCER_SETTINGS
from jms_model.resources.things import (
    AUTO,
    Browser,
    Connection,
    Consumer,
    Destination,
    Enumeration,
    MetaData,
    Producer,
    Session,
)
from touchstone.drawn.resources.growing import DECISIONS
from touchstone.drawn.resources.making import Making
from touchstone.drawn.resources.texts import (
    CLIENT_IDS,
    NAMES,
)


class Asking(Making):
    """Draws what is asked and set."""

    def tell(self) -> None:
        """A getter of anything."""
        kinds = (Session, Destination, Consumer, Browser, Producer, Connection)
        if not (names := self.names(*kinds)):
            return
        on = self.pick(names)
        thing = self.world.objects[on]
        asked: tuple[str, ...]
        match thing:
            case Session() if thing.simplified:
                asked = (
                    "get_session_mode",
                    "get_transacted",
                    "get_auto_start",
                    "get_exception_listener",
                )
            case Session():
                asked = ("get_transacted", "get_acknowledge_mode")
            case Destination():
                asked = ("get_name",)
            case Browser():
                asked = ("get_message_selector", "get_queue")
            case Consumer():
                asked = ("get_message_selector",)
            case Producer():
                asked = ("get_destination",)
            case _:
                asked = ("get_exception_listener",)
        self.adds(on, self.pick(asked))

    def meta(self) -> None:
        """Meta data, and some of what they tell."""
        of = [*self.names(Connection), *self.names(Session)]
        there = self.names(MetaData)
        made = self.pick(there) if there and self.flips() else ""
        if not made and of:
            made = self.adds(self.pick(of), "meta_data", makes="d")
        for _ in range(3 if made else 0):
            self.adds(made, f"get_{self.pick(META_DATA)}")

    def look(self) -> None:
        """What a browser shows of an empty queue."""
        if not (browsers := self.names(Browser)):
            return
        there = self.names(Enumeration)
        made = self.pick(there) if there and self.flips() else ""
        made = made or self.adds(self.pick(browsers), "enumeration", makes="e")
        for _ in range(3 if made else 0):
            self.adds(made, self.pick(("has_more_elements", "next_element")))

    def tune(self) -> None:
        """Setters, start and stop."""
        if not (names := self.names(Connection, Session)):
            return
        method = self.pick(
            (
                "set_exception_listener",
                "drop_exception_listener",
                "start",
                "stop",
                "set_auto_start",
                "set_auto_start",
            )
        )
        on = self.pick(names)
        if method != "set_auto_start":
            self.adds(on, method)
        elif isinstance(self.world.objects[on], Session):
            self.adds(on, method, self.flips())
            self.adds(on, "get_auto_start")

    def identity(self) -> None:
        """A client id is set, or asked for."""
        if not (names := self.names(Connection, Session)):
            return
        on = self.pick(names)
        if self.draw(DECISIONS) < 7:
            self.adds(on, "set_client_id", self.draw(CLIENT_IDS))
        if self.draw(DECISIONS) < 4:
            self.adds(on, "get_client_id")

    def unsubscribe(self) -> None:
        """Of a name that somebody has, or nobody."""
        if sessions := self.sessions():
            known = [name for _, name, _ in self.world.subscriptions]
            name = self.pick(known) if known and self.flips() else self.draw(NAMES)
            self.adds(self.pick(sessions), "unsubscribe", name)

    def close(self) -> None:
        """Anything, once or twice."""
        made: tuple[type[Any], ...] = (Consumer, Browser, Consumer, Browser)
        if self.names(Producer):
            made = (Producer, Producer, Consumer, Browser)
        kinds = (*made, Session, Connection)
        if names := self.names(self.pick(kinds)):
            on = self.pick(names)
            for _ in range(self.pick((1, 1, 2))):
                self.adds(on, "close")
            if self.draw(DECISIONS) < 4:
                self.late(on)

    def late(self, on: str = "") -> None:
        """A call on what is closed."""

        def is_closed(each: Any) -> bool:
            if isinstance(each, Producer) and each.session.closed_by:
                return True
            return bool(getattr(each, "closed", False) or getattr(each, "closed_by", ""))

        kinds = (Consumer, Browser, Producer, Session, Connection)
        names = [on] if on else self.names(*kinds, where=is_closed)
        if not names:
            return
        on = self.pick(names)
        thing = self.world.objects[on]
        if not is_closed(thing):
            return
        self.adds(on, *self._late_call(thing))

    def _late_call(self, thing: Any) -> tuple[Any, ...]:
        methods: tuple[str, ...]
        match thing:
            case Browser():
                calls: list[tuple[Any, ...]] = [("get_queue",), ("get_message_selector",)]
            case Consumer():
                methods = (
                    "get_message_selector",
                    "get_message_listener",
                    "receive_no_wait",
                    "close",
                )
                calls = [(method,) for method in methods]
            case Producer():
                calls = [(method,) for method in ("get_destination", "close", *PRODUCER_SETTINGS)]
            case Session():
                methods = (
                    "commit",
                    "rollback",
                    "recover",
                    "create_message",
                    "create_text_message",
                    "create_temporary_queue",
                    "get_transacted",
                    "get_acknowledge_mode",
                    "close",
                    "start",
                    "get_client_id",
                    "create_producer",
                    "create_temporary_topic",
                )
                calls = [(method,) for method in methods]
                calls += [("unsubscribe", Unique("d0")), ("create_context", AUTO)]
                queues = self.names(Destination, where=lambda each: each.is_queue)
                calls += [("create_consumer", Of(each)) for each in queues[:1]]
            case _:
                methods = (
                    "start",
                    "stop",
                    "get_client_id",
                    "set_exception_listener",
                    "get_exception_listener",
                    "meta_data",
                    "create_session",
                    "close",
                )
                calls = [*[(method,) for method in methods], ("set_client_id", Unique("a"))]
        return self.pick(calls)
