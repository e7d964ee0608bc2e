"""The application that such a program is: a queue of its own, written and browsed."""

from __future__ import annotations

from typing import Any, Final

from jms_model.properties import HEADER_FIELDS
from jms_model.selectors.values import Message
from jmsapi import ConnectionFactory, DeliveryMode

NUMBER: Final = "number"
"""The property by which a message is known."""
_MODES: Final = {
    "PERSISTENT": DeliveryMode.PERSISTENT,
    "NON_PERSISTENT": DeliveryMode.NON_PERSISTENT,
}


class Application:
    """Sends to one queue, and browses it."""

    def __init__(self, factory: ConnectionFactory, queue_name: str, *, simplified: bool) -> None:
        self._simplified = simplified
        opened: Any = factory.create_context() if simplified else factory.create_connection()
        opened.start()
        session = opened if simplified else opened.create_session()
        self._opened: Any = opened
        self._session: Any = session
        self._queue = session.create_queue(queue_name)
        self._producer: Any = session.create_producer(*([] if simplified else [self._queue]))

    def send(self, number: int, message: Message) -> None:
        """Send a message of this number."""
        made = self._session.create_message()
        made.set_int_property(NUMBER, number)
        for name, value in message.items():
            if name not in HEADER_FIELDS:
                made.set_object_property(name, value)
        made.jms_type = message["JMSType"]
        made.jms_correlation_id = message["JMSCorrelationID"]
        mode, priority = _MODES[str(message["JMSDeliveryMode"])], message["JMSPriority"]
        if self._simplified:
            producer = self._producer.set_delivery_mode(mode).set_priority(priority)
            producer.send(self._queue, made)
        else:
            self._producer.send(made, delivery_mode=mode, priority=priority, time_to_live=0)

    def browse(self, selector: str | None) -> list[int]:
        """The numbers of the messages that a browser shows."""
        browser = self._session.create_browser(self._queue, selector)
        try:
            return [int(message.get_int_property(NUMBER)) for message in browser.enumeration]
        finally:
            browser.close()

    def close(self) -> None:
        """Close what is open."""
        self._opened.close()
