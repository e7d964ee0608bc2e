"""From how a scenario ended to its outcomes, one per requirement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from touchstone.verdicts import Outcome, Verdict, worst


def outcomes(
    ids: Sequence[str],
    *,
    checks: Mapping[str, int],
    failures: Mapping[str, Outcome],
    begun: Mapping[str, int],
    ended: Outcome | None,
) -> dict[str, Outcome]:
    """The outcome per requirement id.

    Args:
        checks: how many checks held, per id.
        failures: how a `judging` block of an id failed.
        begun: how many `judging` blocks of an id were left before their end.
        ended: what ended the body; None when it ran to its end.
    """

    def outcome(id_: str) -> Outcome:
        if id_ in failures:
            return failures[id_]
        was_left = begun.get(id_, 0) > 0
        if checks.get(id_) and not was_left and (ended is None or several):
            return Outcome(Verdict.CONFORMS)
        if ended is not None:
            return ended
        if was_left:
            reason = f"the block that judges {id_} was left before its end"
        elif several:
            reason = (
                f"no check answered {id_}: a scenario with several ids says by judging() which does"
            )
        else:
            reason = "nothing was checked"
        return Outcome(Verdict.INCONCLUSIVE, reason)

    several = len(ids) > 1
    return {id_: outcome(id_) for id_ in ids}


def overall(ended: Iterable[Outcome]) -> Verdict:
    """The verdict that a scenario as a whole is shown with: the worst of its ids."""
    return worst(outcome.verdict for outcome in ended)


def worse(first: Outcome, second: Outcome) -> Outcome:
    """The worse of two outcomes; the first of two alike."""
    return first if worst((first.verdict, second.verdict)) is first.verdict else second
