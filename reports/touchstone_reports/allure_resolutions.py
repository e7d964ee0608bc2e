"""Known deviations as Allure 3 has them: failures that are accepted, each with its reason.

Allure resolves failures only, by rules of its configuration. What deviates is therefore failed in
the results that its page is made of (`allure.write(deviating=Status.FAILED)`), and accepted by a
rule: it counts in no rate of success, and its reason stands on the page. What else fails in the
same scenario, or in another combination, no rule speaks of.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from touchstone_reports.allure import by_scenario
from touchstone_reports.allure_mapping import identity, stable_id
from touchstone_reports.combination import Combination
from touchstone_reports.legible import legible
from touchstone_reports.results import VerdictLine, read_all
from touchstone_reports.verdicts import Verdict

ENVIRONMENT = "default"
"""Allure's name of the environment where none is configured."""


def rules(run_dirs: Path | Sequence[Path]) -> list[dict[str, object]]:
    """Return Allure's rules for every known deviation of these runs, one for each reason."""
    accepted: dict[str, list[str]] = {}
    for results in read_all(run_dirs):
        for provider in results.run.providers:
            combination = results.run.combination(provider.name)
            for scenario, judgements in by_scenario(results.of(provider.name)).items():
                if judgements[0].verdict is Verdict.DEVIATES:
                    of_result = accepted.setdefault(_comment(judgements), [])
                    of_result.append(retry_hash(legible(scenario), combination))
    return [
        {
            "resolution": "accepted",
            "comment": comment,
            "retryHash": sorted(set(hashes)),
            "messageRegexp": f"^{Verdict.DEVIATES}",
        }
        for comment, hashes in accepted.items()
    ]


def retry_hash(scenario: str, combination: Combination) -> str:
    """Return Allure 3's own name of one scenario with one client on a broker.

    Its `core/store/retrySubstore`: the MD5 of the test case, the MD5 of the parameters that are not
    excluded, by name, and the environment; a test case is the MD5 of the `testCaseId` of a result.
    """
    parameters = ",".join(
        f"{name}:{value}" for name, value in sorted(identity(combination).items())
    )
    return _md5(f"{_md5(stable_id(scenario))}:{_md5(parameters)}:{ENVIRONMENT}")


def _comment(judgements: Sequence[VerdictLine]) -> str:
    told = [
        f"{judgement.deviation.label}: {judgement.deviation.reason}"
        + (f" ({judgement.deviation.link})" if judgement.deviation.link else "")
        for judgement in judgements
        if judgement.deviation
    ]
    return legible(" ".join(dict.fromkeys(told)))


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
