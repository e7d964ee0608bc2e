"""What others find of the sends: all that was reported, in its order, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from jms_model.answers import Answer, Expectation, Gave, Permitted
from jms_model.async_sends.state import (
    COMPLETED,
    NESTED,
    PERSISTENT,
    MessageFate,
    ModelApplication,
    SendCall,
)

CERTAIN: Final = "JMS-ASY-002"
WAITS: Final = "JMS-PROD-005"
ORDERED: Final = "JMS-ASY-005"
UNHARMED: Final = "JMS-ASY-014"


class Arrived(NamedTuple):
    """A message that was found."""

    number: int
    body: object


class _Fault(NamedTuple):
    words: str
    ids: Sequence[str]


def browse(app: ModelApplication, queue: str) -> Expectation | None:
    """What another session finds on the queue now: all persistent messages that are certain."""
    certain = [each for each in _sends_to(app, queue) if _is_certain(each)]
    if not certain:
        return None

    def fault(value: object) -> _Fault | None:
        return _missing(certain, value)

    return _judge(certain, fault, harmless=True)


def remaining_messages(app: ModelApplication, queue: str) -> Expectation | None:
    """All that the queue has, in its order, when nobody sends any more."""
    if not app.all_closed:
        return None
    sends = _sends_to(app, queue)
    certain = [each for each in sends if _is_certain(each)]
    numbered = {each.number: each for each in sends}

    def fault(value: object) -> _Fault | None:
        return (
            _missing(certain, value)
            or _find_wrong_order(numbered, value)
            or _find_harmed(sends, value)
        )

    return _judge(sends, fault, harmless=False)


def _judge(sends: Sequence[SendCall], fault: Any, *, harmless: bool) -> Expectation:
    def holds(answer: Answer) -> bool:
        return isinstance(answer, Gave) and fault(answer.value) is None

    def learn(value: object) -> None:
        numbers = {each.number for each in _arrivals_in(value)}
        for each in sends:
            each.received = not harmless and each.number in numbers

    kinds = {each.is_async for each in sends}
    ids = [CERTAIN] * (True in kinds) + [WAITS] * (False in kinds)
    more = [] if harmless else _also(sends)
    return Expectation(
        [Permitted("all that was sent, in order", holds, learn=learn)],
        [*ids, *more],
        accuse=lambda value: (fault(value) or _Fault("", [])).ids,
        name=lambda value: (fault(value) or _Fault("", [])).words,
        instead=[],
    )


def _also(sends: Sequence[SendCall]) -> list[str]:
    by_producer: dict[int, list[SendCall]] = {}
    for each in sends:
        by_producer.setdefault(id(each.producer), []).append(each)
    ordered = any(
        len(own) > 1 and any(each.is_async for each in own) for own in by_producer.values()
    )
    return [ORDERED] * ordered + [UNHARMED] * any(each.touched for each in sends)


def _sends_to(app: ModelApplication, queue: str) -> list[SendCall]:
    return [each for each in app.sends if each.queue == queue and not each.refused]


def _is_certain(send: SendCall) -> bool:
    is_there = send.fate is MessageFate.SENT and send.told == COMPLETED and send.number < NESTED
    return is_there and send.options["delivery_mode"] == PERSISTENT


def _arrivals_in(value: object) -> Sequence[Arrived]:
    return value if isinstance(value, list) else []


def _missing(certain: Sequence[SendCall], value: object) -> _Fault | None:
    numbers = {each.number for each in _arrivals_in(value)}
    lost = next((each for each in certain if each.number not in numbers), None)
    if lost is None:
        return None
    if lost.is_async:
        return _Fault("gave not all that was told to be sent", [CERTAIN])
    return _Fault("gave not all of which send() had returned", [WAITS])


def _find_wrong_order(sends: dict[int, SendCall], value: object) -> _Fault | None:
    """Sends of one producer, of the same priority and mode, whose order was not kept."""
    came = [sends[each.number] for each in _arrivals_in(value) if each.number in sends]
    for at, later in enumerate(came):
        for before in came[:at]:
            same = later.producer is before.producer and later.rank == before.rank
            if same and _index(sends, later) < _index(sends, before):
                if later.is_async or before.is_async:
                    kinds = {later.is_async, before.is_async}
                    mixed = "of both kinds of sends" if len(kinds) > 1 else "of asynchronous sends"
                    return _Fault(f"gave another order {mixed}", [ORDERED])
                return _Fault("gave another order of synchronous sends", [])
    return None


def _index(sends: dict[int, SendCall], send: SendCall) -> int:
    return list(sends).index(send.number)


def _find_harmed(sends: Sequence[SendCall], value: object) -> _Fault | None:
    """A message that nobody touched, while another one was touched on its way."""
    if not any(each.touched for each in sends):
        return None
    bodies = {each.number: each.what for each in sends if not each.touched}
    for each in _arrivals_in(value):
        what = bodies.get(each.number)
        if what is not None and what[0] == "text" and what[1] and each.body != what[1]:
            return _Fault("gave a message changed that was not touched", [UNHARMED])
    return None
