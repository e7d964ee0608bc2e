"""Listeners of Python that a Java JMS client calls, on its own threads."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from jms_clients.java.errors import python_error
from jms_clients.java.messages import message_of
from jms_clients.java.objects import JavaObject, Jms
from jmsapi import CompletionListener, ExceptionListener, Message, MessageListener


def java_message_listener(jms: Jms, listener: MessageListener) -> Any:
    """A listener for Java that hands messages to `listener`."""
    return jms.called_back(
        "MessageListener", onMessage=lambda java: listener(message_of(jms, java))
    )


def java_exception_listener(jms: Jms, listener: ExceptionListener) -> Any:
    """A listener for Java that hands exceptions to `listener`."""

    def on_exception(error: Any) -> None:
        listener(python_error(error, jms.namespace, jms.values.shown))  # type: ignore[arg-type]

    return jms.called_back("ExceptionListener", onException=on_exception)


def java_completion_listener(
    jms: Jms, listener: CompletionListener, sent: Any, original: Message | None
) -> Any:
    """A listener for Java about one send: of `sent`, which stands for the application's `original`.

    The application is told of the message that it gave, where the client tells of what it got.
    """

    def known(java: Any) -> Any:
        if java is not None and (java is sent or (hasattr(java, "equals") and java.equals(sent))):
            return original
        return message_of(jms, java)

    def on_exception(java: Any, error: Any) -> None:
        listener.on_exception(known(java), python_error(error, jms.namespace, jms.values.shown))

    return jms.called_back(
        "CompletionListener",
        onCompletion=lambda java: listener.on_completion(known(java)),
        onException=on_exception,
    )


class Given:
    """The listeners that a client in Java was given, so that the one it has is known again."""

    def __init__(self) -> None:
        self._latest: list[tuple[Any, Any]] = []

    def note(self, java: Any, listener: Any) -> None:
        """It was given `java`, which calls `listener`; of several the last two are known."""
        self._latest = [(java, listener), *self._latest[:1]]

    def of(self, java: Any) -> Any:
        """The listener that is called by what the client has; anything else as it is."""
        known = (listener for given, listener in self._latest if given == java)
        return None if java is None else next(known, java)


class Listening(JavaObject):
    """An object with a message listener."""

    @cached_property
    def _listeners(self) -> Given:
        return Given()

    @property
    def message_listener(self) -> MessageListener | None:
        """Called with each message, on a thread of the client."""
        return self._listeners.of(self.call("getMessageListener"))  # type: ignore[no-any-return]

    @message_listener.setter
    def message_listener(self, listener: MessageListener | None) -> None:
        java = None if listener is None else java_message_listener(self.jms, listener)
        self.call("setMessageListener", java)
        self._listeners.note(java, listener)


class Excepting(JavaObject):
    """An object with an exception listener."""

    @cached_property
    def _exception_listeners(self) -> Given:
        return Given()

    @property
    def exception_listener(self) -> ExceptionListener | None:
        """Called once when the connection is found broken."""
        java = self.call("getExceptionListener")
        return self._exception_listeners.of(java)  # type: ignore[no-any-return]

    @exception_listener.setter
    def exception_listener(self, listener: ExceptionListener | None) -> None:
        java = None if listener is None else java_exception_listener(self.jms, listener)
        self.call("setExceptionListener", java)
        self._exception_listeners.note(java, listener)
