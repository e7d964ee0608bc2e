"""One thing that was seen of a case, and what is permitted of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jms_model.answers import Answer, Expectation, Gave, Permitted, gives, kind_of_answer


@dataclass(frozen=True, slots=True)
class Fact:
    """What was looked at, what there was, and what is permitted."""

    method: str
    args: tuple[object, ...]
    expectation: Expectation
    answer: Answer

    def __str__(self) -> str:
        return f"{self.method}({', '.join(map(repr, self.args))})"


def fact(
    method: str,
    number: int,
    value: object,
    permitted: Permitted,
    ids: Sequence[str],
    situation: str = "",
    *,
    accuse: Callable[[object], Sequence[str]] | None = None,
    name: Callable[[object], str] | None = None,
) -> Fact:
    """A look at a message of this number, or at what the case left."""
    named = name or (lambda given: kind_of_answer(Gave(given)))
    expectation = Expectation([permitted], ids, situation, accuse=accuse, name=named)
    return Fact(method, (number,), expectation, Gave(value))


def holds(
    method: str,
    number: int,
    truth: bool,
    ids: Sequence[str],
    situation: str = "",
    *,
    broken: Sequence[str] | None = None,
) -> Fact:
    """Something has to be so; `broken`: what is broken where it is not, if not all of `ids`."""
    accuse = None if broken is None else (lambda _: broken)
    return fact(method, number, truth, gives(True), ids, situation, accuse=accuse)
