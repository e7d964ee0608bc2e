"""Listeners of Python that a Java JMS client calls, on its own threads."""

from __future__ import annotations

from typing import Any

from jmsapi import CompletionListener, ExceptionListener, Message, MessageListener
from touchstone.providers.java.errors import python_error
from touchstone.providers.java.messages import message_of
from touchstone.providers.java.objects import JavaObject, Jms


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


class Listening(JavaObject):
    """An object with a message listener."""

    _listener: MessageListener | None = None

    @property
    def message_listener(self) -> MessageListener | None:
        """Called with each message, on a thread of the client."""
        return self._listener if self.call("getMessageListener") is not None else None

    @message_listener.setter
    def message_listener(self, listener: MessageListener | None) -> None:
        java = None if listener is None else java_message_listener(self.jms, listener)
        self.call("setMessageListener", java)
        self._listener = listener


class Excepting(JavaObject):
    """An object with an exception listener."""

    _exception_listener: ExceptionListener | None = None

    @property
    def exception_listener(self) -> ExceptionListener | None:
        """Called once when the connection is found broken."""
        return self._exception_listener if self.call("getExceptionListener") is not None else None

    @exception_listener.setter
    def exception_listener(self, listener: ExceptionListener | None) -> None:
        java = None if listener is None else java_exception_listener(self.jms, listener)
        self.call("setExceptionListener", java)
        self._exception_listener = listener
