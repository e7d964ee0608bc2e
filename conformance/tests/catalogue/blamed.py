"""Whom the reason of a deviation blames, as far as its words say so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

BROKERS: Mapping[str, Sequence[str]] = {
    "qpid": ("Artemis", "Broker-J", "RabbitMQ"),
    "rabbitmq": ("RabbitMQ",),
    "starlight": ("Pulsar",),
    "reference": ("Pulsar",),
    "reference/amq": ("Pulsar",),
}
"""By provider, the brokers that are not called as their client is."""
_KINDS = "broker|plug-in|node|server"
_ITSELF = r"\b(?!'s|-| client)"
"""What is the broker's, as its exception, or part of a longer name, is not the broker."""
_SENTENCE = re.compile(r"(?<=[.!])\s+(?=[A-Z])")
_CLAUSE = re.compile(r"[:;] ")
_PASSIVE = re.compile(r" (?:is|are|was|were) \w+ed\b")


def says_that_the_broker_does_it(reason: str, provider: str) -> bool:
    """Whether the broker is the subject, or the place, of a clause of the first sentence.

    A clause begins the sentence, or stands behind a colon or semicolon. What comes in a further
    sentence is a further cause, what is told in passing accuses nobody, and neither does a broker
    to which something is done.
    """
    named = "".join(f"|(?:Classic queues of )?{re.escape(each)}" for each in _names(provider))
    broker = rf"(?:(?:[Tt]he|[Aa]|[Ii]ts|Pulsar's) (?:{_KINDS}){named}){_ITSELF}"
    place, subject = re.compile(rf"(?:In|At|On) {broker}"), re.compile(broker)
    for clause in _CLAUSE.split(_SENTENCE.split(reason, maxsplit=1)[0]):
        does = subject.match(clause)
        if place.match(clause) or (does and not _PASSIVE.match(clause, does.end())):
            return True
    return False


def speaks_of_the_broker(reason: str, provider: str) -> bool:
    """Whether the broker is told of at all, by its name or by what it is."""
    named = "".join(rf"|{re.escape(each)}(?!'s (?:\w+ )?client)" for each in _names(provider))
    return re.search(rf"\b(?:(?:{_KINDS})s?{named})\b", reason) is not None


def _names(provider: str) -> Sequence[str]:
    return BROKERS.get(provider, ())
