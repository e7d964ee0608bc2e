"""The 33 checks over a history: what each is called, what it looks at and how binding it is.

docs/volume.md defines each exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
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


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its id, a name for readers, its view and strength."""

    id: str
    name: str
    view: View
    strength: FindingStrength = FindingStrength.MUST


_M, _S, _L = View.MESSAGE, View.SESSION, View.LINK

CHECKS: Final[Mapping[str, Check]] = {
    check.id: check
    for check in (
        Check("D01", "lost", _M),
        Check("D02", "phantom", _M),
        Check("D03", "aborted read", _M),
        Check("D04", "wrong subscriber", _M),
        Check("D05", "again after acknowledgement", _M),
        Check("D06", "unflagged redelivery", _M),
        Check("D07", "two owners", _M),
        Check("D08", "finished twice", _M),
        Check("D09", "order", _S),
        Check("D10", "skip", _L),
        Check("D11", "count", _M),
        Check("D12", "flag and count", _S),
        Check("D13", "body", _M),
        Check("D14", "headers", _M),
        Check("D15", "early", _S),
        Check("D16", "expired", _S, FindingStrength.SHOULD),
        Check("D17", "torn transaction", _L),
        Check("D18", "dirty read", _M),
        Check("D19", "forgotten", _M),
        Check("D20", "serial", _S),
        Check("D21", "scope of acknowledge()", _M),
        Check("D22", "group split", _L),
        Check("D23", "group order", _L),
        Check("D24", "dead letter too early", _M),
        Check("D25", "dead letter missing", _M),
        Check("D26", "dead letter of a finished message", _M),
        Check("D27", "message id", _L),
        Check("D28", "conservation", _L, FindingStrength.SHOULD),
        Check("D29", "stopped", _S),
        Check("D30", "recover", _S),
        Check("D31", "once through", _L),
        Check("D32", "priority", _S, FindingStrength.METRIC),
        Check("D33", "liveness", _S, FindingStrength.METRIC),
    )
}
