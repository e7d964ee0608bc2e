"""The destination of one program: messages are sent there, read raw, and received."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from jms_brokers.machine.patience import patience
from jms_model.answers import Answer, Gave, Raised
from jms_model.pulsar_wire.looks import NUMBER, Raw
from jms_model.pulsar_wire.sent import Known, MessageToSend
from jmsapi import Destination, Message, SessionMode
from touchstone.drawn.arrivals import Arrivals
from touchstone.drawn.driving import answer_of
from touchstone.drawn.pulsar_wire.program import (
    AGAIN,
    BODIES,
    BROWSER,
    CLOSED,
    CONTEXT,
    LISTENER,
    ROLLBACK,
    TRANSACTED,
    Program,
)
from touchstone.drawn.pulsar_wire.reading import number_in
from touchstone.drawn.pulsar_wire.sending import WireSender

END: Final = b"end"
"""The payload of the message behind all others, and its number."""
EMULATED: Final = {"enableTransaction": "false", "jms.emulateTransactions": "true"}
"""Settings with which sessions can be transacted wherever there is no other transaction."""
Form = tuple[bytes | None, Mapping[str, str], str | None]
"""A raw message: payload, properties and key."""


class WireView(Protocol):
    """The independent client's view of the broker."""

    def topic(self, destination: Destination | str) -> str: ...
    def messages(self, destination: Destination | str) -> Sequence[Raw]: ...
    def received_until(
        self, destination: Destination | str, subscription: str, last: bytes
    ) -> Sequence[Raw]: ...
    def send_all(self, destination: Destination | str, messages: Sequence[Form]) -> None: ...


class Factories(NamedTuple):
    """Factories of the client: one as it is delivered, and others with settings."""

    plain: Any
    transacted: Any
    """Its sessions can be transacted."""
    quick: Any
    """What is given back comes again at once."""
    rolled_back: Any
    """Both."""


class WireClient:
    """The client under test: its connections stay open from one program to the next."""

    def __init__(self, factories: Factories, wire: WireView, name: Callable[[str], str]) -> None:
        self._factories = factories
        self.wire = wire
        self.name = name
        self.arrivals = Arrivals()
        self.sender = WireSender(self._opened, wire.topic)
        self._connection: Any = None

    @property
    def connection(self) -> Any:
        """What receives, and makes destinations."""
        if self._connection is None:
            self._connection = self._factories.plain.create_connection()
            self._connection.start()
        return self._connection

    def receiving(self, way: str) -> Any:
        """A session or a context that receives in this way."""
        if way in (CONTEXT, BODIES):
            return self._factories.plain.create_context()
        if way not in (TRANSACTED, *AGAIN):
            return self.connection.create_session(False, SessionMode.AUTO_ACKNOWLEDGE)
        is_transacted = way in (TRANSACTED, ROLLBACK)
        made = {TRANSACTED: self._factories.transacted, ROLLBACK: self._factories.rolled_back}
        connection = made.get(way, self._factories.quick).create_connection()
        connection.start()
        mode = SessionMode.SESSION_TRANSACTED if is_transacted else SessionMode.CLIENT_ACKNOWLEDGE
        return connection.create_session(is_transacted, mode)

    def _opened(self, _: str, is_context: bool, is_transacted: bool) -> Any:
        factory = self._factories.transacted if is_transacted else self._factories.plain
        mode = SessionMode.SESSION_TRANSACTED if is_transacted else SessionMode.AUTO_ACKNOWLEDGE
        if is_context:
            return factory.create_context(mode=mode)
        return factory.create_connection().create_session(is_transacted, mode)


class _Listener:
    """Keeps messages up to the last."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._ended = threading.Event()

    def on_message(self, message: Message) -> None:
        """Keep it."""
        if number_in(message) == END.decode():
            self._ended.set()
        else:
            self.messages.append(message)

    def wait(self) -> None:
        """Until the last came, or has had its time."""
        any(self._ended.wait(seconds) for seconds in patience(10.0))


class WireExchange:
    """One destination, of a program."""

    def __init__(self, client: WireClient, program: Program) -> None:
        self._client = client
        self._program = program
        self._session = client.receiving(program.way)
        name = client.name(program.kind)
        is_queue = program.kind == "queue"
        make = self._session.create_queue if is_queue else self._session.create_topic
        self.destination: Destination = make(name)
        self._consumer: Any = self._session.create_consumer(self.destination)
        if program.way == BROWSER:
            self._consumer.close()
        client.sender.goes_to(self.destination)

    def send(self, number: int, sent: MessageToSend) -> Known:
        """Send by JMS."""
        return self._client.sender.send(number, sent)

    def send_on(self, message: Message, sent: MessageToSend, known: Known) -> Known:
        """Send by JMS what was received."""
        return self._client.sender.send_on(message, sent, known)

    def send_raw(self, messages: Sequence[Form]) -> None:
        """Send by the independent client."""
        self._client.wire.send_all(self.destination, messages)

    def examples(self, sent: Sequence[MessageToSend]) -> Mapping[int, Raw]:
        """What the client makes of messages, in a queue of their own, by their number."""
        client = self._client
        queue = client.connection.create_session().create_queue(client.name("examples"))
        client.sender.goes_to(queue)
        for number, each in enumerate(sent):
            answer_of(partial(client.sender.send, number, each))
        client.wire.send_all(queue, [(END, {}, None)])
        raw = client.wire.received_until(queue, "native", END)
        return {int(each.properties[NUMBER]): each for each in raw if NUMBER in each.properties}

    def full_name(self, name: str) -> str:
        """The full name of the topic of a simple name."""
        return self._client.wire.topic(name)

    def end(self) -> None:
        """Send the last message, which overtakes none."""
        lowest = {"JMSPriority": "0"} if self._program.prioritized else {}
        self.send_raw([(END, {NUMBER: END.decode(), **lowest}, None)])

    def raw(self) -> Sequence[Raw]:
        """The messages as the broker keeps them."""
        wire = self._client.wire
        if self._program.numbered:
            return [each for each in wire.messages(self.destination) if each.payload != END]
        return wire.received_until(self.destination, "native", END)

    def topic_of(self, destination: Destination) -> str:
        """The full name of the topic behind a destination."""
        return self._client.wire.topic(destination)

    def received(self) -> Iterator[Answer]:
        """The messages as the client gives them, up to the last or to the first failure."""
        way = self._program.way
        if way == LISTENER:
            listener = _Listener()
            self._consumer.message_listener = listener.on_message
            listener.wait()
            yield from map(Gave, listener.messages)
        elif way == BROWSER:
            yield from self._browsed()
        else:
            for _ in itertools.count():
                answer = answer_of(partial(self._client.arrivals.next, self._consumer))
                is_last = isinstance(answer, Raised) or answer.value is None
                if not is_last and number_in(_message(answer)) == END.decode():
                    return
                yield answer
                if is_last:
                    return

    def bodies(self, kinds: Sequence[type]) -> Iterator[Answer]:
        """The bodies of as many messages, as bodies of these types."""
        for kind in kinds:
            yield answer_of(partial(self._consumer.receive_body, kind, 10_000))

    def again(self, count: int) -> Iterator[Answer]:
        """So many messages that were received, given back and received again, in any order."""
        self._gives_back()
        while count:
            answer = answer_of(partial(self._client.arrivals.next, self._consumer))
            yield answer
            if isinstance(answer, Raised) or answer.value is None:
                return
            count -= number_in(_message(answer)) != END.decode()

    def _gives_back(self) -> None:
        if self._program.way == CLOSED:
            self._consumer.close()
            self._session.close()
            self._session = self._client.receiving(CLOSED)
            self._consumer = self._session.create_consumer(self.destination)
        elif self._program.way == ROLLBACK:
            self._session.rollback()
        else:
            self._session.recover()

    def close(self) -> None:
        """Close what is open."""
        if self._program.way == TRANSACTED:
            answer_of(self._session.commit)
        answer_of(self._session.close)

    def _browsed(self) -> Iterator[Answer]:
        messages: list[Message] = []
        answer = answer_of(partial(self._browse, messages))
        yield from map(Gave, messages)
        if isinstance(answer, Raised):
            yield answer

    def _browse(self, messages: list[Message]) -> None:
        browser = self._session.create_browser(self.destination)
        try:
            for message in browser.enumeration:
                if number_in(message) == END.decode():
                    return
                messages.append(message)
        finally:
            browser.close()


def _message(answer: Answer) -> Message:
    assert isinstance(answer, Gave)
    assert isinstance(answer.value, Message)
    return answer.value
