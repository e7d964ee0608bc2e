"""Header fields that the provider sets by a send: what a sender and a receiver read of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from jms_model.answers import Expectation, Permitted, are_same, gives, gives_what

NO_EFFECT: Final = "JMS-HDR-003"
"""Values that a client puts there before the send have no effect."""
_UNSET: Final = object()


@dataclass
class ProviderField:
    """One field of one send; sender and receiver read the same value."""

    words: str
    holds: Callable[[object], bool]
    of_sender: Sequence[str] = ()
    """What is broken where the sender reads another value."""
    of_receiver: Sequence[str] = ()
    alike: Sequence[str] = ()
    """What is broken where one of them reads another value than the other has read."""
    accuse: Callable[[object], Sequence[str]] | None = None
    """What of these a value breaks that may not be; None: all of those of whoever reads it."""
    learned: Callable[[object], None] = lambda _: None
    """Called with the value, once it is known."""
    learns: bool = True
    """Whether the value has one form alone."""
    preset: object = _UNSET
    """What the client had put there."""
    seen: object = field(default=_UNSET, init=False)

    @property
    def was_preset(self) -> bool:
        """Whether the client had put another value there."""
        return self.preset is not _UNSET

    @property
    def _permitted(self) -> Permitted:
        if self.seen is not _UNSET:
            return gives(self.seen)
        return gives_what(self.words, self.holds)

    def _learn(self, value: object) -> None:
        if self.learns and self.seen is _UNSET:
            self.seen = value
            self.learned(value)

    def read(self, name: str, is_received: bool) -> Expectation:
        """What is permitted of reading it."""
        own = self.of_receiver if is_received else self.of_sender
        is_known = self.seen is not _UNSET
        ids = [*own, *(self.alike if is_known else ()), *([NO_EFFECT] if self.was_preset else [])]

        def accuse(value: object) -> Sequence[str]:
            if self.was_preset and are_same(value, self.preset):
                return [NO_EFFECT]
            if self.holds(value):
                return self.alike
            return own if self.accuse is None else [id_ for id_ in self.accuse(value) if id_ in ids]

        situation = "of a received message" if is_received else "of a message that was sent"
        if self.was_preset:
            situation += ", which the client had set before"
        permitted = self._permitted
        learning = Permitted(
            permitted.words, permitted.holds, permitted.effect, self._learn, permitted.errors
        )
        return Expectation([learning], ids, situation, reads=[("header", name)], accuse=accuse)


Fields = Mapping[str, ProviderField]
"""The fields of one send by their names."""


def number_between(first: int, last: int) -> Callable[[object], bool]:
    """Whether a value is a number between two, these included."""

    def holds(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and first <= value <= last

    return holds


def just(expected: object) -> Callable[[object], bool]:
    """Whether a value is this one."""
    return lambda value: are_same(value, expected)
