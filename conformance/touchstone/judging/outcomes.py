"""From how a scenario ended to its outcomes, one per requirement: pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from jms_brokers.errors import HintedError
from touchstone.errors import NotInThisVersion
from touchstone.scenario.deadline import Hung
from touchstone.scenario.failures import Phase, failure_message, is_client_failure
from touchstone.scenario.judgement import Inconclusive, Judgement, NotApplicable
from touchstone.verdicts import Outcome, Verdict, worst

_OF_PYTEST: Mapping[type[BaseException], str] = {
    pytest.xfail.Exception: "pytest.xfail",
    pytest.skip.Exception: "pytest.skip",
    pytest.fail.Exception: "pytest.fail, or a check by pytest such as pytest.raises,",
}
"""What scenarios may not end by; the first is a kind of the last."""


def outcome_of(error: BaseException, judgement: Judgement, *, during: str = "call") -> Outcome:
    """What an exception means that ended one of pytest's phases (`during`)."""
    if isinstance(error, (NotApplicable, NotInThisVersion)):
        return Outcome(Verdict.NOT_APPLICABLE, str(error))
    for kind, called in _OF_PYTEST.items():
        if isinstance(error, kind):
            return Outcome(
                Verdict.INCONCLUSIVE, f"{called} in a scenario: a scenario judges, or says why not"
            )
    if is_client_failure(error, judgement.catalogues, Phase(during)):
        return judgement.against_the_client(error)
    where = "" if during == Phase.CALL else f"{during} failed: "
    if isinstance(error, (Inconclusive, Hung, HintedError)):
        return Outcome(Verdict.INCONCLUSIVE, where + str(error))
    return Outcome(Verdict.INCONCLUSIVE, where + failure_message(error))


def outcomes(judgement: Judgement, ended: Outcome | None) -> dict[str, Outcome]:
    """The outcome per requirement id, from how the body `ended`: None when it ran to its end."""
    return {id_: _outcome(judgement, ended, id_) for id_ in judgement.ids}


def overall(found: Iterable[Outcome]) -> Verdict:
    """The verdict that a scenario as a whole is shown with: the worst of its ids."""
    return worst(outcome.verdict for outcome in found)


def _outcome(judgement: Judgement, ended: Outcome | None, id_: str) -> Outcome:
    several = len(judgement.ids) > 1
    if id_ in judgement.failures:
        return judgement.failures[id_]
    left = judgement.begun[id_] > 0
    if judgement.checks[id_] and not left and (ended is None or several):
        return Outcome(Verdict.CONFORMS)
    if ended is not None:
        return ended
    if left:
        return Outcome(Verdict.INCONCLUSIVE, f"the block that judges {id_} was left before its end")
    if several:
        return Outcome(
            Verdict.INCONCLUSIVE,
            f"no check answered {id_}: a scenario with several ids says by judging() which does",
        )
    return Outcome(Verdict.INCONCLUSIVE, "nothing was checked")
