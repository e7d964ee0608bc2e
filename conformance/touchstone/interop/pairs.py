"""The exchanges of one pair from what both sides told: pure, so that it can be tested by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from touchstone.catalogue.deviations import Deviation
from touchstone.interop.behaviours import JMS, RAW, Behaviour
from touchstone.interop.expectations import (
    Expected,
    read_by_jms,
    read_raw,
    times_told,
    undisputed,
)
from touchstone.interop.judging import FieldDifference, PairExchange, PairSide, compared, explained
from touchstone.interop.parts import Reading, SendRecord, View
from touchstone.interop.samples import SampleMessage

ALWAYS = ("nothing-else",)
"""Exchanges that belong to each run, whatever was chosen."""
ARRIVED = "arrived"
ONCE = "once"
SENT = "sent"
WORKED = "worked"


@dataclass(frozen=True)
class Pair:
    """A producer and a consumer, with the deviations that are known of any client."""

    producer: PairSide
    consumer: PairSide
    known: Sequence[Deviation] = ()

    @property
    def raw(self) -> bool:
        """Whether the consumer is the plain client, which sees raw messages."""
        return self.consumer.name == RAW_CLIENT

    def kinds(self) -> tuple[str, str]:
        """What behaviours call the two: `raw` or `jms`."""
        producer, consumer = (
            RAW if side.name == RAW_CLIENT else JMS for side in (self.producer, self.consumer)
        )
        return producer, consumer

    def exchange(
        self, name: str, expected: Expected, differences: Sequence[FieldDifference]
    ) -> PairExchange:
        """The exchange with its differences explained."""
        return PairExchange(
            name,
            self.producer.name,
            self.consumer.name,
            {field: requirement for field, (_, requirement) in expected.items()},
            explained(differences, name, self.producer, self.consumer, self.known),
        )

    def unjudged(self, name: str, why: str) -> PairExchange:
        """The exchange of which nothing can be said."""
        return PairExchange(name, self.producer.name, self.consumer.name, {}, unjudged=why)

    def left_out(self, name: str, why: str) -> PairExchange:
        """The exchange that this pair does not have."""
        return PairExchange(name, self.producer.name, self.consumer.name, {}, left_out=why)


RAW_CLIENT = "pulsar-client"
"""The plain Pulsar client among the clients."""
EVERYBODY = ("reference", "reference-java", "starlight", "starlight@7.0.15", RAW_CLIENT)
"""The clients of a run that names none."""


def sample_exchanges(
    pair: Pair,
    queue: str,
    samples: Mapping[str, SampleMessage],
    sent: Mapping[str, SendRecord],
    reading: Reading,
) -> Iterator[PairExchange]:
    """One exchange for each sample that was to be sent to the topic `queue`."""
    missing = [
        name for name, told in sent.items() if not told.error and not reading.views.get(name)
    ]
    expired = {
        name for name in missing if 0 < _lives(samples[name]) <= reading.until - sent[name].since
    }
    lost = [name for name in missing if name not in expired]
    for name, told in sent.items():
        sample = samples[name]
        expected = read_raw(sample, told) if pair.raw else read_by_jms(sample, told, queue)
        kind = next(iter(expected.values()))[1]
        whole: Expected = {ARRIVED: (ONCE, kind), **expected}
        if told.error:
            yield pair.exchange(name, whole, [FieldDifference(SENT, kind, "yes", told.error)])
            continue
        if name in expired:
            yield pair.unjudged(name, "its time to live may have ended before it was read")
            continue
        views = reading.views.get(name, ())
        if len(views) != 1:
            seen = f"{len(views)} times" if views else _instead(reading.errors, lost)
            yield pair.exchange(name, whole, [FieldDifference(ARRIVED, kind, ONCE, seen)])
            continue
        view = undisputed(times_told(views[0], told, (_lives(sample),)))
        yield pair.exchange(name, whole, compared(expected, view))
    yield _nothing_else(pair, reading)


def _lives(sample: SampleMessage) -> int:
    """Its time to live in ms, 0 for ever."""
    return sample.options.get("time_to_live", 0)


def _instead(errors: Sequence[str], lost: Sequence[str]) -> str:
    """What came instead of a lost message, where each lost one cost the same exception.

    Which message an exception was thrown for nobody tells.
    """
    same = len(errors) == len(lost) and len(set(errors)) == 1
    return errors[0] if same else "never"


def _nothing_else(pair: Pair, reading: Reading) -> PairExchange:
    """Whether there were messages that nobody meant to send; open where not all was seen."""
    if not reading.whole and not reading.unknown:
        why = "the last message, which is sent behind all others, never came"
        return pair.unjudged(ALWAYS[0], "; ".join((why, *reading.errors[:1])))
    expected: Expected = {"unknown messages": ("0", "JMS-REDL-009")}
    seen = {"unknown messages": str(len(reading.unknown))}
    return pair.exchange(ALWAYS[0], expected, compared(expected, seen))


def behaviour_exchange(
    pair: Pair, behaviour: Behaviour, sent: Mapping[str, object], view: View, thrown: str = ""
) -> PairExchange:
    """The exchange of a behaviour; `thrown` is what a client threw instead of doing its part."""
    told = SendRecord.of({key: sent[key] for key in SendRecord().as_dict() if key in sent})
    expected = behaviour.expected(*pair.kinds(), {**SendRecord().as_dict(), "ids": [], **sent})
    id_ = next(iter(expected.values()))[1]
    whole: Expected = {WORKED: ("yes", id_), **expected}
    if thrown:
        return pair.exchange(behaviour.name, whole, [FieldDifference(WORKED, id_, "yes", thrown)])
    seen = times_told(view, told, behaviour.later)
    return pair.exchange(behaviour.name, whole, compared(expected, seen))
