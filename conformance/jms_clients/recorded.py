"""A client whose calls and callbacks are written to a trace.

Factories, connections, contexts, sessions, producers, consumers and browsers are wrapped;
messages and destinations are handed through as they are, since applications ask for their type
and read them often.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final, TypeVar, cast

from jms_brokers.machine.secrecy import learn_settings
from jms_brokers.machine.spending import Purpose, spent_on
from jms_clients.interface import (
    Client,
    HasOwnObjects,
    LooksUpFactories,
    ShowsMemory,
    TakesProcessProperties,
    VendorConstants,
)
from jms_clients.memory import Memory
from jms_clients.trace import Trace, masked, trace_value
from jmsapi import ConnectionFactory, Message

T = TypeVar("T")

_MAKERS: Final = {
    "create_connection": "connection",
    "create_context": "context",
    "create_session": "session",
    "create_producer": "producer",
    "create_sender": "producer",
    "create_publisher": "producer",
    "create_consumer": "consumer",
    "create_receiver": "consumer",
    "create_subscriber": "consumer",
    "create_shared_consumer": "consumer",
    "create_durable_consumer": "consumer",
    "create_shared_durable_consumer": "consumer",
    "create_durable_subscriber": "consumer",
    "create_browser": "browser",
    "create_queue_connection": "connection",
    "create_topic_connection": "connection",
    "create_queue_session": "session",
    "create_topic_session": "session",
}
"""Calls whose result is wrapped, and what it is called in the trace."""
_LISTENERS: Final = {"message_listener", "exception_listener"}
_OWN: Final = frozenset({"_target", "_trace", "_name", "_counter"})


class RecordedClient:
    """A client opened against a broker; every factory it makes records to `trace`."""

    def __init__(self, client: Client, trace: Trace) -> None:
        self._client = client
        self._trace = trace
        self._counter: dict[str, int] = {}

    @property
    def constants(self) -> VendorConstants:
        """The vendor's numbers."""
        return self._client.constants

    @property
    def memory(self) -> Callable[[], AbstractContextManager[Memory]] | None:
        """The client's memory, where it lets it be seen."""
        return self._client.memory if isinstance(self._client, ShowsMemory) else None

    @property
    def own_objects(self) -> HasOwnObjects | None:
        """The client's arrays and lists; None where they are Python's."""
        return self._client if isinstance(self._client, HasOwnObjects) else None

    def connection_factory(self, settings: Mapping[str, object]) -> ConnectionFactory:
        """A recorded factory."""
        learn_settings(settings)
        return self._factory("connection_factory", self._client.connection_factory, settings)

    def looked_up_factory(self, settings: Mapping[str, object]) -> ConnectionFactory | None:
        """A recorded factory from a directory; None where the client has none."""
        if not isinstance(self._client, LooksUpFactories):
            return None
        learn_settings(settings)
        return self._factory("looked_up_factory", self._client.looked_up_factory, settings)

    def process_property(self, name: str, value: str | None) -> AbstractContextManager[None] | None:
        """A property of the client's process for a while; None where there is no such thing."""
        if not isinstance(self._client, TakesProcessProperties):
            return None
        self._trace.add("call", "client", "process_property", [name, value])
        return self._client.process_property(name, value)

    def _factory(
        self,
        what: str,
        make: Callable[[Mapping[str, object]], ConnectionFactory],
        settings: Mapping[str, object],
    ) -> ConnectionFactory:
        given = [trace_value(dict(settings))]
        try:
            factory = make(settings)
        except Exception as error:
            self._trace.raised("client", what, error, given)
            raise
        wrapped = RecordedObject(factory, self._trace, "factory", self._counter)
        self._trace.add("call", "client", what, given, name_of(wrapped))
        return cast(ConnectionFactory, wrapped)


def unrecorded(value: T) -> T:
    """The client's own object behind a recorded one; anything else as it is."""
    return cast(T, value._target) if isinstance(value, RecordedObject) else value


class RecordedObject:
    """One object of the API; attributes are those of the client's own object."""

    def __init__(self, target: object, trace: Trace, kind: str, counter: dict[str, int]) -> None:
        counter[kind] = counter.get(kind, 0) + 1
        self._target = target
        self._trace = trace
        self._name = f"{kind}-{counter[kind]}"
        self._counter = counter

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if isinstance(value, _Completion | _Callback):
            return value.listener
        if not callable(value) or name.startswith("__"):
            return value
        return self._call(name, value)

    def __setattr__(self, name: str, value: object) -> None:
        if name in _OWN:
            object.__setattr__(self, name, value)
            return
        target: object = value
        if name in _LISTENERS and callable(value):
            target = _Callback(value, self._trace, self._name, name)
        try:
            setattr(self._target, name, target)
        except Exception as error:
            given = trace_value(value, name_of)
            self._trace.raised(self._name, f"{name} =", error, given)
            raise
        self._trace.add("set", self._name, name, trace_value(value, name_of))

    def __enter__(self) -> Any:
        self._target.__enter__()  # type: ignore[attr-defined]
        return self

    def __exit__(self, *error: object) -> Any:
        self._trace.add("call", self._name, "close")
        return self._target.__exit__(*error)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<{self._name} {self._target!r}>"

    def _call(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            given = _given_arguments(method, args, kwargs) if args or kwargs else None
            args = tuple(self._argument(arg) for arg in args)
            kwargs = {key: self._argument(value) for key, value in kwargs.items()}
            try:
                with spent_on(Purpose.TIMEOUT) if name == "receive" else nullcontext():
                    result = method(*args, **kwargs)
            except BaseException as error:
                self._trace.raised(self._name, name, error, given)
                raise
            if result is self._target:
                result = self
            elif name in _MAKERS and result is not None:
                result = RecordedObject(result, self._trace, _MAKERS[name], self._counter)
            self._trace.add("call", self._name, name, given, trace_value(result, name_of))
            return result

        return call

    def _argument(self, value: Any) -> Any:
        if isinstance(value, RecordedObject):
            return value._target
        if hasattr(value, "on_completion") and hasattr(value, "on_exception"):
            return _Completion(value, self._trace, self._name)
        return value


class _Callback:
    """A listener of messages or exceptions whose calls are recorded."""

    def __init__(
        self, listener: Callable[[Any], object], trace: Trace, name: str, attribute: str
    ) -> None:
        self.listener = listener
        self._trace = trace
        self._name = name
        self._attribute = attribute

    def __call__(self, argument: Any) -> object:
        self._trace.add("callback", self._name, self._attribute, trace_value(argument, name_of))
        try:
            result = self.listener(argument)
        except BaseException as error:
            self._trace.raised(self._name, self._attribute, error, None, "callback raised")
            raise
        self._trace.add("callback done", self._name, self._attribute)
        return result


class _Completion:
    """A completion listener whose calls are recorded."""

    def __init__(self, listener: Any, trace: Trace, name: str) -> None:
        self.listener = listener
        self._trace = trace
        self._name = name

    def on_completion(self, message: Message) -> None:
        """The send was confirmed."""
        self._trace.add("callback", self._name, "on_completion", trace_value(message))
        self._tell("on_completion", message)

    def on_exception(self, message: Message, exception: Exception) -> None:
        """The send failed."""
        self._trace.add(
            "callback", self._name, "on_exception", trace_value(message), repr(exception)
        )
        self._tell("on_exception", message, exception)

    def _tell(self, name: str, *args: Any) -> None:
        try:
            getattr(self.listener, name)(*args)
        except BaseException as error:
            self._trace.raised(self._name, name, error, None, "callback raised")
            raise


def name_of(value: object) -> str | None:
    """The name in the trace of a wrapped object, None for others."""
    return value._name if isinstance(value, RecordedObject) else None


def _given_arguments(
    method: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> object:
    """What the call was given, secrets masked by the names of its parameters."""
    if len(args) > 1 or kwargs:
        names = list(inspect.signature(method).parameters)[: len(args)]
        names += ["argument"] * (len(args) - len(names))
        args = tuple(masked(names, args))
        kwargs = dict(zip(kwargs, masked(kwargs, kwargs.values()), strict=True))
    given: list[object] = [trace_value(arg, name_of) for arg in args]
    given += [{key: trace_value(value, name_of)} for key, value in kwargs.items()]
    return given
