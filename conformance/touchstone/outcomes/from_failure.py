"""What an exception means that ended a scenario, or one of its `judging` blocks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import pytest

from jms_brokers.errors import HintedError
from jms_clients.errors import NotInThisVersion
from jms_clients.origins import Origin, origin_of
from touchstone.outcomes.endings import Hung, Inconclusive, NotApplicable
from touchstone.outcomes.failures import Phase, failure_message, is_client_failure
from touchstone.verdicts import Outcome, Verdict

_LONGEST = 2000
"""Characters of either side of a comparison that results keep."""
_SIDE = 300
"""The same for the line that says what failed."""
_OF_THE_CLASS_PATH = (
    "\n  hint: Its jars do not fit each other, or one is missing: `touchstone lock CLIENT"
    " GROUP:ARTIFACT:VERSION` locks one besides."
)
_OF_PYTEST: Mapping[type[BaseException], str] = {
    pytest.xfail.Exception: "pytest.xfail",
    pytest.skip.Exception: "pytest.skip",
    pytest.fail.Exception: "pytest.fail, or a check by pytest such as pytest.raises,",
}
"""What scenarios may not end by; the first is a kind of the last."""


@dataclass(frozen=True)
class FailedComparison:
    """The comparison of an assertion that failed, as texts."""

    operator: str
    seen: str
    expected: str


def outcome_of(
    error: BaseException,
    phase: Phase,
    catalogues: Collection[str],
    against_the_client: Callable[[BaseException], Outcome],
) -> Outcome:
    """What an exception means that ended one of pytest's phases.

    `catalogues` are the packages whose assertions are verdicts; `against_the_client` is asked about
    what speaks against the client, since only a broker in order makes that a verdict.
    """
    if isinstance(error, (NotApplicable, NotInThisVersion)):
        return Outcome(Verdict.NOT_APPLICABLE, str(error))
    for kind, called in _OF_PYTEST.items():
        if isinstance(error, kind):
            return Outcome(
                Verdict.INCONCLUSIVE, f"{called} in a scenario: a scenario judges, or says why not"
            )
    if is_client_failure(error, catalogues, phase):
        return against_the_client(error)
    where = "" if phase is Phase.CALL else f"{phase} failed: "
    if isinstance(error, (Inconclusive, Hung, HintedError)):
        return Outcome(Verdict.INCONCLUSIVE, where + str(error))
    hint = _OF_THE_CLASS_PATH if origin_of(error, catalogues) is Origin.CLASS_PATH else ""
    return Outcome(Verdict.INCONCLUSIVE, where + failure_message(error) + hint)


def failure_before(message: str, before: Exception) -> Outcome:
    """The outcome of a failure behind something that harness or adapter raised."""
    if isinstance(before, NotInThisVersion):
        return Outcome(Verdict.NOT_APPLICABLE, str(before))
    return Outcome(
        Verdict.INCONCLUSIVE,
        f"{message}; before, what no client did: {failure_message(before)}",
    )


def violation(message: str, compared: FailedComparison | None) -> Outcome:
    """VIOLATES, with both sides of the comparison that failed where there was one."""
    if compared is None:
        return Outcome(Verdict.VIOLATES, message)
    operator, seen, expected = compared.operator, compared.seen, compared.expected
    if message.startswith("assert ") and "..." in message:  # pytest has shortened both sides
        message = f"assert {_short(seen, _SIDE)} {operator} {_short(expected, _SIDE)}"
    return Outcome(
        Verdict.VIOLATES,
        message,
        expected=_short(expected if operator == "==" else f"{operator} {expected}"),
        seen=_short(seen),
    )


def _short(text: str, limit: int = _LONGEST) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
