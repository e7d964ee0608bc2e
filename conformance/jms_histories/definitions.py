"""The 33 checks over a history: what each is called, looks at and says, and how binding it is.

docs/volume.md defines each exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final


class View(Enum):
    """What a kernel needs to see whole in order to answer a check."""

    MESSAGE = "message"
    """All sends and deliveries of a message."""
    SESSION = "session"
    """All deliveries and events of a session, in order."""
    LINK = "link"
    """Summaries of the other two views."""


class FindingStrength(Enum):
    """How binding a finding is."""

    MUST = "must"
    SHOULD = "should"
    METRIC = "metric"


class EvidenceKind(StrEnum):
    """What kind of number an evidence is, by which a reader knows how to show it."""

    TIME = "time"
    COUNT = "count"
    MESSAGE = "message"
    CONSUMER = "consumer"
    TRANSACTION = "transaction"
    DIGEST = "digest"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one of the two numbers of a finding says, for readers."""

    name: str
    kind: EvidenceKind


@dataclass(frozen=True, slots=True)
class Found:
    """How findings are told: "3 messages lost" is several and then what is said of them."""

    one: str
    several: str
    what: str

    def of(self, many: int) -> str:
        """The words for so many findings."""
        return f"{many:,} {self.one if many == 1 else self.several} {self.what}"


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its id, a name for readers, its view, its words and strength.

    nothing is said where nothing was found; evidence names a and b of a finding, in this order.
    """

    id: str
    name: str
    view: View
    nothing: str
    found: Found
    evidence: tuple[Evidence, ...]
    strength: FindingStrength = FindingStrength.MUST

    def evidence_text(self, a: int, b: int) -> str:
        """The two numbers of a finding with their names."""
        named = zip(self.evidence, (a, b), strict=False)
        return ", ".join(f"{each.name} {number}" for each, number in named)


_M, _S, _L = View.MESSAGE, View.SESSION, View.LINK


def _messages(what: str) -> Found:
    return Found("message", "messages", what)


def _deliveries(what: str) -> Found:
    return Found("delivery", "deliveries", what)


def _time(name: str) -> Evidence:
    return Evidence(name, EvidenceKind.TIME)


def _count(name: str) -> Evidence:
    return Evidence(name, EvidenceKind.COUNT)


def _digest(name: str) -> Evidence:
    return Evidence(name, EvidenceKind.DIGEST)


CHECKS: Final[Mapping[str, Check]] = {
    check.id: check
    for check in (
        Check(
            "D01",
            "lost",
            _M,
            "nothing lost",
            _messages("lost"),
            (_time("send called"), _time("send returned")),
        ),
        Check(
            "D02",
            "phantom",
            _M,
            "nothing delivered that nobody sent",
            _messages("delivered that nobody sent"),
            (_time("first delivered"), _count("deliveries")),
        ),
        Check(
            "D03",
            "aborted read",
            _M,
            "nothing delivered that was refused or rolled back",
            _messages("delivered though its send was refused or rolled back"),
            (_time("first delivered"), _count("deliveries")),
        ),
        Check(
            "D04",
            "wrong subscriber",
            _M,
            "nothing at a subscription that was not to get it",
            _messages("at a subscription that was not to get it"),
            (_time("first delivered"), _time("send called")),
        ),
        Check(
            "D05",
            "again after acknowledgement",
            _M,
            "nothing delivered again after it was acknowledged",
            _deliveries("of what had been acknowledged before"),
            (_time("delivered again"), _time("acknowledged")),
        ),
        Check(
            "D06",
            "unflagged redelivery",
            _M,
            "every redelivery flagged as one",
            Found("redelivery", "redeliveries", "without the flag JMSRedelivered"),
            (_count("which delivery it was"), _count("JMSXDeliveryCount")),
        ),
        Check(
            "D07",
            "two owners",
            _M,
            "no message with two owners at once",
            _deliveries("of what an earlier delivery still held"),
            (_time("delivered"), _time("held until")),
        ),
        Check(
            "D08",
            "finished twice",
            _M,
            "nothing acknowledged twice",
            _messages("acknowledged more than once"),
            (_count("acknowledged deliveries"), _time("second of them delivered")),
        ),
        Check(
            "D09",
            "order",
            _S,
            "everything in order",
            _messages("out of order"),
            (_count("number at its producer"), _count("largest number before it")),
        ),
        Check(
            "D10",
            "skip",
            _L,
            "nothing left out between what came in order",
            _messages("left out while later ones came"),
            (_count("least number that came"), _count("largest number that came")),
        ),
        Check(
            "D11",
            "count",
            _M,
            "every delivery counted right",
            _deliveries("with a wrong JMSXDeliveryCount"),
            (_count("JMSXDeliveryCount"), _count("which delivery it was")),
        ),
        Check(
            "D12",
            "flag and count",
            _S,
            "JMSRedelivered and JMSXDeliveryCount agree",
            _deliveries("flagged as redelivered with a JMSXDeliveryCount below 2"),
            (_count("JMSXDeliveryCount"), _time("delivered")),
        ),
        Check(
            "D13",
            "body",
            _M,
            "every body arrived as it was sent",
            _deliveries("with another body than was sent"),
            (_digest("digest received"), _digest("digest sent")),
        ),
        Check(
            "D14",
            "headers",
            _M,
            "all headers and properties arrived as they were set",
            _deliveries("with other headers or properties than were set"),
            (_digest("digest received"), _digest("digest sent")),
        ),
        Check(
            "D15",
            "early",
            _S,
            "nothing delivered before it was due",
            _deliveries("of what was not due yet"),
            (_time("delivered"), _time("due")),
        ),
        Check(
            "D16",
            "expired",
            _S,
            "nothing delivered after it expired",
            _deliveries("of what had expired"),
            (_time("delivered"), _time("expired")),
            FindingStrength.SHOULD,
        ),
        Check(
            "D17",
            "torn transaction",
            _L,
            "every transaction arrived whole or not at all",
            Found("transaction", "transactions", "of which only a part arrived"),
            (Evidence("transaction", EvidenceKind.TRANSACTION), _count("messages that arrived")),
        ),
        Check(
            "D18",
            "dirty read",
            _M,
            "nothing delivered before its transaction was committed",
            _messages("delivered before the commit was called"),
            (_time("first delivered"), _time("commit called")),
        ),
        Check(
            "D19",
            "forgotten",
            _M,
            "everything that was given back came again",
            _messages("given back that never came again"),
            (_count("deliveries"), _time("given back")),
        ),
        Check(
            "D20",
            "serial",
            _S,
            "every session had one message at a time",
            _deliveries("while the session was at work on another"),
            (_time("delivered"), _time("other one done")),
        ),
        Check(
            "D21",
            "scope of acknowledge()",
            _M,
            "nothing that acknowledge() covers came again",
            _deliveries("of what acknowledge() had covered"),
            (_time("delivered again"), _time("acknowledge() returned")),
        ),
        Check(
            "D22",
            "group split",
            _L,
            "no group split between consumers",
            Found("consumer", "consumers", "with messages of a group that another one had"),
            (
                Evidence("first consumer", EvidenceKind.CONSUMER),
                Evidence("this consumer", EvidenceKind.CONSUMER),
            ),
        ),
        Check(
            "D23",
            "group order",
            _L,
            "every group in order",
            _messages("out of order within a group"),
            (_count("number in its group"), _count("largest number before it")),
        ),
        Check(
            "D24",
            "dead letter too early",
            _M,
            "no dead letter before its deliveries were used up",
            Found(
                "dead letter",
                "dead letters",
                "with fewer deliveries than the limit, or without a limit",
            ),
            (_count("deliveries"), _count("limit")),
        ),
        Check(
            "D25",
            "dead letter missing",
            _M,
            "everything that failed too often is a dead letter",
            _messages("missing in the dead-letter queue"),
            (_count("deliveries"), _count("limit")),
        ),
        Check(
            "D26",
            "dead letter of a finished message",
            _M,
            "nothing that was finished is a dead letter",
            Found("dead letter", "dead letters", "of what was finished"),
            (_count("finished deliveries"), _count("dead letters")),
        ),
        Check(
            "D27",
            "message id",
            _L,
            "every JMSMessageID given once",
            _messages("with the JMSMessageID of another"),
            (
                _digest("hash of the id"),
                Evidence("first message that has it", EvidenceKind.MESSAGE),
            ),
        ),
        Check(
            "D28",
            "conservation",
            _L,
            "every subscription finished all that it was owed",
            Found("subscription", "subscriptions", "with messages that were never finished"),
            (_count("messages owed"), _count("finished, or dead letters")),
            FindingStrength.SHOULD,
        ),
        Check(
            "D29",
            "stopped",
            _S,
            "nothing delivered while stopped",
            _deliveries("while the connection was stopped"),
            (_time("delivered"), _time("stopped")),
        ),
        Check(
            "D30",
            "recover",
            _S,
            "every recover() began with the right message",
            Found("call", "calls", "of recover() after which the wrong message came first"),
            (Evidence("message expected", EvidenceKind.MESSAGE), _time("recover() called")),
        ),
        Check(
            "D31",
            "once through",
            _L,
            "every message passed on exactly once",
            _messages("not passed on exactly once"),
            (_count("outputs that arrived"), _count("outputs")),
        ),
        Check(
            "D32",
            "priority",
            _S,
            "nothing overtaken by a lower priority",
            _messages("overtaken by a lower priority"),
            (_time("available"), _time("the other one delivered")),
            FindingStrength.METRIC,
        ),
        Check(
            "D33",
            "liveness",
            _S,
            "measured alone: the plots of latency, and the table of faults",
            Found("wait", "waits", "measured"),
            (),
            FindingStrength.METRIC,
        ),
    )
}
