"""The application that a program is: its objects of the client under test, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from jms_brokers.machine.polling import until
from jms_clients.calls import unheard_calls
from jms_model.delivery.browser_rules import PAST
from jms_model.delivery.choosing import NUMBER, PROPERTIES
from jms_model.delivery.message_rules import CHANGED
from jms_model.delivery.provider import QUEUE
from jms_model.delivery.rules import FACTORY
from jms_model.delivery.vendors import INDIVIDUAL
from jmsapi import ConnectionFactory, Destination, JMSContext, Message, SessionMode
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import DidNotEnd
from touchstone.drawn.sessions.interfaces import creator
from touchstone.drawn.sessions.listening import SessionListeners
from touchstone.drawn.sessions.program import Step
from touchstone.drawn.sessions.sending import NumberedSender
from touchstone.drawn.sessions.taking import Taking
from touchstone.outcomes.endings import Hung
from touchstone.scenario.deadline import within

COUNT: Final = "JMSXDeliveryCount"
STATE: Final = "JMSXState"
_SOON: Final = 2.0
"""Seconds in which a queue that is browsed has what was sent."""
_IN_VAIN: Final = 30
"""Milliseconds that a receive waits for nothing."""
_ENDS_WITHIN: Final = 15.0
"""Seconds for a close that nobody holds up."""


@dataclass
class _Shared:
    """The connection of contexts."""

    client_id: str | None
    open: list[JMSContext] = field(default_factory=list)


@dataclass
class Application:
    """Makes the calls of one program."""

    factory: ConnectionFactory
    simplified: bool
    fresh: Callable[[str], str]
    """A name that nobody else has, for what a program calls so."""
    arrivals: Arrivals
    domain: str = ""
    """QUEUE or TOPIC: by the interfaces that are for one domain alone."""
    individual: int | None = None
    """The client's number of the mode in which each message is acknowledged alone."""
    objects: dict[str, Any] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _destinations: dict[str, Destination] = field(default_factory=dict)
    """By name: they belong to no session, and are good when that is closed."""
    _made_by: dict[str, str] = field(default_factory=dict)
    """By name, what made an object."""
    _listeners: dict[str, SessionListeners] = field(default_factory=dict)
    """By session."""
    _was_there: dict[str, int] = field(default_factory=dict)
    """By queue, how many messages were waited for."""
    _running: set[str] = field(default_factory=set)
    """The connections that were started."""

    def __post_init__(self) -> None:
        self._sender = NumberedSender(self.simplified, self.domain)

    def call(self, step: Step, *, comes: bool) -> object:
        """Make a call; `comes`: whether a message has to come. Of messages it gives the number.

        While a listener is called, that makes the calls of its session.
        """
        if step.on == FACTORY:
            self.objects[step.makes] = self._connection(*step.args)
            return None
        if step.makes:
            self._made_by[step.makes] = step.on
        listeners = next(
            (known for name in self._above(step.on) if (known := self._listeners.get(name))), None
        )
        match step.method:
            case "listen":
                session = self._made_by[step.on]
                listeners = self._listeners.setdefault(session, SessionListeners())
                self.objects[step.on].message_listener = listeners.of(step.on)
                return None
            case "hear":
                return self._hear(step.on, step.makes)
            case "returns" | "throws":
                assert listeners is not None
                return listeners.end(throws=step.method == "throws")
        if listeners is not None and listeners.is_called:
            return listeners.does(lambda: self._call(step, comes=comes))
        if step.method in ("start", "stop", "close"):
            return self._undisturbed(step)
        return self._call(step, comes=comes)

    def _above(self, name: str) -> Iterator[str]:
        """An object's name, and those of what it was made by."""
        yield name
        while name in self._made_by:
            name = self._made_by[name]
            yield name

    def _call(self, step: Step, *, comes: bool) -> object:
        target = self.objects[step.on]
        given = getattr(self, f"_{step.method}", None)
        if step.method == "receive":
            return self._receive(target, step.makes, comes=comes)
        if step.method == "next":
            return self._next(target, step.makes)
        if step.method == "receive_from":
            return self._receive_from((step.on, *step.args), step.makes)
        made = given(target, *step.args) if given else getattr(target, step.method)(*step.args)
        if step.makes:
            self.objects[step.makes] = made
            if self.simplified and "consumer" in step.method:
                self._running.update(self._above(step.on))  # which starts the connection
            return None
        return made

    def close(self) -> None:
        """Close what is still open; what that raises is no matter."""
        with ExitStack() as stack:
            for listeners in self._listeners.values():
                stack.enter_context(listeners.letting_go())
            self._close_all()

    def _close_all(self) -> None:
        for each in self.objects.values():
            if isinstance(each, _Shared) or hasattr(each, "create_session"):
                with suppress(Exception):
                    self._close(each)

    def _name(self, name: str) -> str:
        if name not in self._names:
            self._names[name] = self.fresh(name)
        return self._names[name]

    # Listeners

    def _hear(self, session: str, makes: str) -> tuple[str, int | None] | None:
        listeners = self._listeners[session]
        message = self.arrivals.next(listeners)
        if message is None:
            return None
        self.objects[makes] = message
        return listeners.consumer, listeners.does(lambda: _number(message))

    def _undisturbed(self, step: Step) -> tuple[str, int | None] | None:
        """Start, stop or close; gives the call of a listener that nobody waited for."""
        concerned = [each for name, each in self._listeners.items() if step.on in self._above(name)]
        starts = step.method == "start"
        if starts and step.on in self._running:
            concerned = []
        with ExitStack() as stack:
            for each in concerned:
                stack.enter_context(each.letting_go())
            if starts:
                stack.close()  # from here on they may be called, even before start() returns
            self._ends(step)
        (self._running.add if starts else self._running.discard)(step.on)
        let_go = next((pair for each in concerned if (pair := each.let_go)), None)
        return (let_go[0], _number(let_go[1])) if let_go else None

    def _ends(self, step: Step) -> None:
        """Make a call that need not wait for the listeners of others, which do wait."""
        call = partial(self._call, step, comes=False)
        if step.method != "close" or not self._listeners:
            call()
            return
        try:
            within(_ENDS_WITHIN, call, str(step))
        except Hung as hung:
            raise DidNotEnd from hung

    # Connections and sessions

    def _connection(self, client_id: str | None) -> Any:
        unique = None if client_id is None else self._name(client_id)
        if self.simplified:
            return _Shared(unique)
        connection = creator(self.domain, self.factory, "connection")()
        if unique is not None:
            connection.client_id = unique
        return connection

    def _create_session(self, connection: Any, mode: int) -> Any:
        if mode == INDIVIDUAL:
            assert self.individual is not None
            mode = self.individual
        if not isinstance(connection, _Shared):
            create = creator(self.domain, connection, "session")
            return create(mode == SessionMode.SESSION_TRANSACTED, mode)
        if connection.open:
            context = connection.open[0].create_context(mode)
        else:
            context = self.factory.create_context(mode=mode)
            if connection.client_id is not None:
                context.client_id = connection.client_id
        connection.open.append(context)
        return context

    def _start(self, connection: Any) -> None:
        for each in connection.open[:1] if isinstance(connection, _Shared) else [connection]:
            each.start()

    def _stop(self, connection: Any) -> None:
        for each in connection.open[:1] if isinstance(connection, _Shared) else [connection]:
            each.stop()

    def _close(self, target: Any) -> None:
        if isinstance(target, _Shared):
            for each in [*target.open]:
                self._close(each)
            return
        target.close()
        for shared in self.objects.values():
            if isinstance(shared, _Shared) and target in shared.open:
                shared.open.remove(target)

    # Sending and receiving

    def _destination(self, session: Any, name: str) -> Destination:
        if name not in self._destinations:
            create = session.create_queue if name.startswith(QUEUE) else session.create_topic
            self._destinations[name] = create(self._name(name))
        return self._destinations[name]

    def _send(self, session: Any, to: str, text: str, kind: int, form: str) -> None:
        self._sender.send(session, self._destination(session, to), text, kind, form)

    def _create_consumer(self, session: Any, to: str, selector: str | None) -> Any:
        return creator(self.domain, session, "consumer")(self._destination(session, to), selector)

    def _create_consumer_no_local(self, session: Any, to: str, selector: str | None) -> Any:
        return creator(self.domain, session, "consumer")(
            self._destination(session, to), selector, True
        )

    def _create_durable_consumer(
        self, session: Any, to: str, name: str, selector: str | None
    ) -> Any:
        subscribed = self._subscribed(session, to, name, selector)
        return creator(self.domain, session, "durable_consumer")(*subscribed)

    def _create_durable_consumer_no_local(
        self, session: Any, to: str, name: str, selector: str | None
    ) -> Any:
        subscribed = self._subscribed(session, to, name, selector)
        return creator(self.domain, session, "durable_consumer")(*subscribed, True)

    def _create_shared_consumer(
        self, session: Any, to: str, name: str, selector: str | None
    ) -> Any:
        return session.create_shared_consumer(*self._subscribed(session, to, name, selector))

    def _create_shared_durable_consumer(
        self, session: Any, to: str, name: str, selector: str | None
    ) -> Any:
        return session.create_shared_durable_consumer(
            *self._subscribed(session, to, name, selector)
        )

    def _subscribed(
        self, session: Any, to: str, name: str, selector: str | None
    ) -> tuple[Destination, str, str | None]:
        return self._destination(session, to), self._name(name), selector

    def _unsubscribe(self, session: Any, name: str) -> None:
        session.unsubscribe(self._name(name))

    def _browse(self, session: Any, name: str) -> list[int | None]:
        browser = session.create_browser(self._destination(session, name))
        try:
            return [_number(message) for message in browser.enumeration]
        finally:
            browser.close()

    # Browsers

    def _create_browser(self, session: Any, queue: str, selector: str | None) -> Any:
        return session.create_browser(self._destination(session, queue), selector)

    def waits(self, browser: str, count: int) -> None:
        """Wait until so many messages are on its queue: not each client waits for its broker."""
        session, queue = self.objects[self._made_by[browser]], self.objects[browser].queue
        before, self._was_there[queue.queue_name] = self._was_there.get(queue.queue_name, 0), count
        if before >= count:
            return

        def is_there() -> bool:
            with closing(session.create_browser(queue)) as looks:
                return sum(1 for _ in looks.enumeration) >= count

        with suppress(Exception), unheard_calls():  # what it raises the browser itself is judged by
            until(is_there, _SOON)

    def _queue(self, browser: Any) -> str:
        name = browser.queue.queue_name
        return next((own for own, given in self._names.items() if given == name), str(name))

    def _message_selector(self, browser: Any) -> str | None:
        return browser.message_selector  # type: ignore[no-any-return]

    def _enumeration(self, browser: Any) -> Any:
        return browser.enumeration

    def _more(self, enumeration: Any) -> bool:
        return enumeration.has_more_elements()  # type: ignore[no-any-return]

    def _next(self, enumeration: Any, makes: str) -> int | str | None:
        message = next(enumeration, None)
        if message is None:
            return PAST
        self.objects[makes] = message
        return _number(message)

    # Consumers

    def _receive(self, consumer: Any, makes: str, *, comes: bool) -> int | None:
        message: Message | None
        message = self.arrivals.next(consumer) if comes else consumer.receive(_IN_VAIN)
        if message is None:
            return None
        self.objects[makes] = message
        return _number(message)

    def _receive_from(self, names: Sequence[str], makes: str) -> tuple[str, int | None] | None:
        taking = Taking({name: self.objects[name] for name in names if name in self.objects})
        message = self.arrivals.next(taking)
        if message is None:
            return None
        self.objects[makes] = message
        return taking.name, _number(message)

    def _receive_no_wait(self, consumer: Any) -> int | None:
        message = consumer.receive_no_wait()
        return None if message is None else _number(message)

    def _receive_briefly(self, consumer: Any) -> int | None:
        message = consumer.receive(_IN_VAIN)
        return None if message is None else _number(message)

    def _receive_body_as_map(self, consumer: Any) -> object:
        return consumer.receive_body(dict, round(self.arrivals.within * 1000))

    # Messages

    def _delivery(self, message: Any) -> tuple[bool, int | None]:
        count = message.get_int_property(COUNT) if message.property_exists(COUNT) else None
        return message.jms_redelivered, None if count is None else int(count)

    def _text(self, message: Any) -> str | None:
        return message.text  # type: ignore[no-any-return]

    def _content(
        self, message: Any
    ) -> tuple[str | None, dict[str, object], str | None, str | None, bool, bool]:
        own = {
            name: message.get_object_property(name)
            for name in PROPERTIES
            if message.property_exists(name)
        }
        headers = message.jms_type, message.jms_correlation_id, message.jms_reply_to is not None
        return message.text, own, *headers, message.property_exists(STATE)

    def _change(self, message: Any) -> None:
        """All that an application may write; whether it may is for programs on messages."""
        message.clear_body()
        message.text = CHANGED
        message.clear_properties()
        with suppress(Exception):
            message.set_string_property(PROPERTIES[0], CHANGED)
        with suppress(Exception):
            message.jms_type = message.jms_correlation_id = CHANGED
        with suppress(Exception):
            message.jms_reply_to = next(iter(self._destinations.values()), None)


def _number(message: Message) -> int | None:
    return int(message.get_int_property(NUMBER)) if message.property_exists(NUMBER) else None
