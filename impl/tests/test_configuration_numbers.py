"""Every key that holds a number, at its bounds and beyond: kept, or refused by its name.

`data/configuration-numbers.tsv` has a row for each key with a whole number, and a column for each
value: it is kept, below or beyond what is allowed, or refused as asking for what is not built.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from jmsapi import JMSException, TextMessage
from pulsar_jms import PulsarConnectionFactory
from pulsar_jms.configuration import settings
from pulsar_jms.configuration.keys import PARSERS
from pulsar_jms.dialects.rabbitmq import RABBITMQ
from pulsar_jms.mapping.redelivery_counts import Backoff

_HEAD, *_LINES = (
    line.split("\t")
    for line in (Path(__file__).parent / "data/configuration-numbers.tsv").read_text().splitlines()
)
WHOLE: Final = {
    key: dict(zip(map(int, _HEAD[1:]), outcomes, strict=True)) for key, *outcomes in _LINES
}
SAYS: Final = {"below": "or more$", "beyond": "or less$", "refused": "is not supported: "}
NACK: Final = "consumerConfig.negativeAckRedeliveryBackoff"
TIMEOUT: Final = "consumerConfig.ackTimeoutRedeliveryBackoff"
FACTORS: Final = (f"{NACK}.multiplier", f"{TIMEOUT}.multiplier")
BESIDE: Final[dict[str, dict[str, object]]] = {
    f"{NACK}.minDelayMs": {f"{NACK}.maxDelayMs": 2**63 - 1},
    f"{NACK}.maxDelayMs": {f"{NACK}.minDelayMs": 0},
    f"{TIMEOUT}.minDelayMs": {f"{TIMEOUT}.maxDelayMs": 2**63 - 1},
    f"{TIMEOUT}.maxDelayMs": {f"{TIMEOUT}.minDelayMs": 0},
}
"""What a key needs beside it, so that its value alone decides."""


def holds_a_number(parse: Callable[[object], object]) -> bool:
    """Whether a text that is no number is refused because it is none."""
    try:
        parse("none")
    except ValueError as refusal:
        return "number" in str(refusal)
    except NotImplementedError:
        return False
    return False


def test_every_number_has_its_row() -> None:
    keys = {**PARSERS, **RABBITMQ.keys}
    assert {key for key, parse in keys.items() if holds_a_number(parse)} == {*WHOLE, *FACTORS}


@pytest.mark.parametrize("key", WHOLE)
def test_a_whole_number_is_kept_within_its_bounds_and_refused_beyond(key: str) -> None:
    for value, outcome in WHOLE[key].items():
        for given in (value, str(value)):
            configuration = {**BESIDE.get(key, {}), key: given}
            if outcome == "kept":
                assert settings(configuration, RABBITMQ.keys).values[key] == value
            else:
                with pytest.raises(JMSException, match=SAYS[outcome]) as refusal:
                    settings(configuration, RABBITMQ.keys)
                assert repr(key) in str(refusal.value)


@pytest.mark.parametrize("key", WHOLE)
@pytest.mark.parametrize(
    "value", [0.5, 1.0, math.nan, math.inf, -math.inf, True, "", "1.0", "1e3", "1_0", "NaN", [1]]
)
def test_what_is_no_whole_number_is_refused(key: str, value: object) -> None:
    with pytest.raises(JMSException, match=r"it must be a whole number$") as refusal:
        settings({key: value}, RABBITMQ.keys)
    assert repr(key) in str(refusal.value)


@pytest.mark.parametrize("key", FACTORS)
@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        (1, "kept"),
        ("1.5", "kept"),
        (1.7976931348623157e308, "kept"),
        (0, "of 1 or more"),
        (0.5, "of 1 or more"),
        ("0.9999", "of 1 or more"),
        (-2, "of 1 or more"),
        (math.nan, "finite"),
        ("NaN", "finite"),
        (math.inf, "finite"),
        (-math.inf, "finite"),
        (10**400, "a number"),
        (True, "a finite number"),
        ("", "a number"),
    ],
)
def test_a_factor_is_1_or_more(key: str, value: object, outcome: str) -> None:
    if outcome == "kept":
        assert settings({key: value}).values[key] == float(str(value))
    else:
        with pytest.raises(JMSException, match=outcome) as refusal:
            settings({key: value})
        assert repr(key) in str(refusal.value)


@pytest.mark.parametrize("whole", [NACK, TIMEOUT])
@pytest.mark.parametrize(
    ("given", "longest"),
    [
        ({"minDelayMs": 5000, "maxDelayMs": 1000}, 1000),
        ({"minDelayMs": 1, "maxDelayMs": 0}, 0),
        ({"maxDelayMs": 9_999}, 9_999),
        ({"minDelayMs": 600_001}, 600_000),
    ],
)
def test_the_longest_wait_is_not_below_the_smallest(
    whole: str, given: dict[str, object], longest: int
) -> None:
    """Where one of them is not given it is Pulsar's, 10 s and 10 min."""
    says = f"'{whole}.maxDelayMs' is {longest}; it must be .* or more, which is minDelayMs"
    with pytest.raises(JMSException, match=says):
        settings({whole: given})
    with pytest.raises(JMSException, match=f"In queue 'q' the key {says}"):
        settings({}).with_overrides(
            {"consumerConfig": {whole.partition(".")[2]: given}}, "queue 'q'"
        )


@pytest.mark.parametrize("smallest", [0, 1, 1000, 2**53])
@pytest.mark.parametrize("above", [0, 1, 4000])
@pytest.mark.parametrize("multiplier", [1.0, 1.0001, 2.0, 1e300])
def test_a_wait_is_within_its_bounds(smallest: int, above: int, multiplier: float) -> None:
    backoff = Backoff(smallest, smallest + above, multiplier)
    for count in (-1, 0, 1, 2, 3, 1023, 1024, 2**31 - 1):
        assert smallest <= backoff.delay(count) <= smallest + above
    assert backoff.delay(0) == smallest


@pytest.mark.parametrize(
    ("given", "pending"),
    [
        ({}, (1000, 50_000)),
        ({"maxPendingMessages": 0}, (0, 50_000)),
        ({"maxPendingMessages": 60_000}, (60_000, 60_000)),
        ({"maxPendingMessagesAcrossPartitions": 7}, (7, 7)),
        (
            {"maxPendingMessages": 8, "maxPendingMessagesAcrossPartitions": 7},
            (7, 7),
        ),
        ({"maxPendingMessagesAcrossPartitions": 0}, (1000, 2**31 - 1)),
    ],
)
def test_a_limit_of_a_partition_is_not_above_that_of_all(
    given: dict[str, object], pending: tuple[int, int]
) -> None:
    assert settings({"producerConfig": given}).pending_messages == pending


TOO_SHORT: Final = {
    "operationTimeoutMs",
    "connectionTimeoutMs",
    "producerConfig.sendTimeoutMs",
    "producerConfig.batchingMaxPublishDelayMicros",
    "touchstone.limits.maxSize",
}
"""Whose least values leave no broker the time to answer, or no message any room; and the greatest
of batchingMaxPublishDelayMicros has a send wait."""


def at_bounds(choose: Callable[[list[int]], int]) -> dict[str, object]:
    """Each key at one of the values that the table has as kept."""
    kept = {key: [at for at, outcome in WHOLE[key].items() if outcome == "kept"] for key in WHOLE}
    return {
        key: choose(values)
        for key, values in kept.items()
        if values and key in PARSERS and key not in TOO_SHORT
    }


def one(values: list[int]) -> int:
    """1 where it is allowed."""
    return 1 if 1 in values else values[0]


@pytest.mark.parametrize("transport", ["native", "java"])
@pytest.mark.parametrize("choose", [min, one, max])
def test_messages_pass_at_the_bounds_of_all_numbers(
    factories: Callable[..., PulsarConnectionFactory],
    name: Callable[[], str],
    transport: str,
    choose: Callable[[list[int]], int],
) -> None:
    with factories(at_bounds(choose), transport=transport).create_context() as context:
        queue = context.create_queue(name())
        consumer = context.create_consumer(queue)
        for text in ("one", "two"):
            context.create_producer().send(queue, text)
        received = [consumer.receive(30_000) for _ in range(2)]
        assert [each.text for each in received if isinstance(each, TextMessage)] == ["one", "two"]
