"""The application that a program is: its objects of the client under test, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from jms_brokers.errors import NotAsExpected
from jms_brokers.machine.polling import until
from jms_model.resources.arguments import FOREIGN, Of, Selector, Unique
from jms_model.resources.connection_rules import CONNECTION_CONSUMERS
from jms_model.resources.rules import FACTORY
from jmsapi import ConnectionFactory, Destination, JMSException, Queue, Topic
from touchstone.drawn.resources.program import Step

_GONE_WITHIN: Final = 10.0
"""Seconds within which a broker has carried out what a client asked for."""


class Nowhere(Destination):
    """A destination that is of no client, and neither a queue nor a topic."""


def listens(_: JMSException) -> None:
    """An ExceptionListener."""


@dataclass
class Application:
    """Makes the calls of one program."""

    factory: ConnectionFactory
    fresh: Callable[[str], str]
    """A name that nobody else has, and that begins so."""
    is_there: Callable[[Destination], bool | None]
    """Whether the broker has a destination; None: it does not tell."""
    objects: dict[str, Any] = field(default_factory=dict)
    _stems: dict[str, str] = field(default_factory=dict)
    """How texts begin, by their labels."""
    _texts: dict[Unique, str] = field(default_factory=dict)
    _foreign: Destination = field(default_factory=Nowhere)
    _opened: list[Any] = field(default_factory=list)
    """Connections and contexts."""

    def call(self, step: Step) -> object:
        """Make a call. Of objects it gives nothing, of names what the program calls them."""
        target = self.factory if step.on == FACTORY else self.objects[step.on]
        own: Callable[..., Any] | None = getattr(self, f"_{step.method}", None)
        if own is not None:
            return own(target, step)
        given = [self._given(each) for each in step.args]
        if step.method in CONNECTION_CONSUMERS:
            given += [None, 1]
        made = self._called(target, step.method, given)
        if not step.makes:
            return self._shown(made)
        self.objects[step.makes] = made
        if step.on == FACTORY or step.method == "create_context":
            self._opened.append(made)
        return None

    def close(self) -> None:
        """Close what is still open; what that raises is no matter."""
        for each in reversed(self._opened):
            with suppress(Exception):
                each.close()

    def _called(self, target: Any, method: str, args: list[Any]) -> Any:
        verb, _, name = method.partition("_")
        if verb == "get":
            return getattr(target, name)
        if verb == "set":
            setattr(target, name, *args)
            return None
        if method in ("meta_data", "enumeration"):
            return getattr(target, method)
        return getattr(target, method)(*args)

    def _given(self, value: Any) -> Any:
        match value:
            case Of():
                return self._foreign if value == FOREIGN else self.objects[value.name]
            case Unique():
                return self._text(value)
            case Selector():
                return value.text
        return value

    def _text(self, wanted: Unique) -> str:
        if wanted not in self._texts:
            if wanted.label not in self._stems:
                self._stems[wanted.label] = self.fresh(wanted.label)
            stem = self._stems[wanted.label]
            length = max(0, wanted.length - len(wanted.ending))
            self._texts[wanted] = stem.ljust(length, "n") + wanted.ending
        return self._texts[wanted]

    def _shown(self, value: Any) -> object:
        """What a call gave, as the model has it."""
        if isinstance(value, (Queue, Topic)):
            return self._shown(_name_of(value))
        if isinstance(value, str):
            known = self._texts.items()
            return next((wanted for wanted, text in known if text == value), value)
        if isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)):
            return list(value)
        return value

    # Calls that are more, or less, than the method of their name

    def _create_context(self, target: Any, step: Step) -> None:
        if target is self.factory:
            made = target.create_context(**({"mode": step.args[0]} if step.args else {}))
        else:
            made = target.create_context(*step.args)
        self._opened.append(made)
        self.objects[step.makes] = made

    def _create_common_session(self, target: Any, step: Step) -> None:
        self.objects[step.makes] = target.create_session()

    def _get_name(self, target: Any, _: Step) -> object:
        return self._shown(_name_of(target))

    def _set_exception_listener(self, target: Any, _: Step) -> None:
        target.exception_listener = listens

    def _drop_exception_listener(self, target: Any, _: Step) -> None:
        target.exception_listener = None

    def _next_element(self, target: Any, _: Step) -> object:
        return next(target)

    def _send_to(self, target: Any, step: Step) -> None:
        destination = self._given(step.args[0])
        if hasattr(target, "session_mode"):
            target.create_producer().send(destination, "late")
            return
        with target.create_producer() as producer:
            producer.send(target.create_text_message("late"), destination=destination)

    def _is_there(self, target: Any, _: Step) -> bool | None:
        return self.is_there(target)

    def _is_gone(self, target: Any, _: Step) -> bool | None:
        """Whether the broker has it no more; it is given time."""
        with suppress(NotAsExpected):
            until(lambda: self.is_there(target) is not True, _GONE_WITHIN)
        return self.is_there(target) is not True


def _name_of(destination: Queue | Topic) -> str:
    if isinstance(destination, Queue):
        return destination.queue_name
    return destination.topic_name
