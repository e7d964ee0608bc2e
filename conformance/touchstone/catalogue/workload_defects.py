"""A defect that is known of one workload is known of every workload that can meet it.

An entry whose message begins with a check of histories (`assert ['D05 again …`) may name, as
`workloads`, what of a workload brings it about. It explains failures of that check then in all
workloads that do this, whatever requirement they are judged by. That it happens is asked for in its
own scenario alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.workload_steps import checks_in


def defect_behind(
    known: Iterable[Deviation], steps: Collection[str], failure: str
) -> Deviation | None:
    """The entry that explains a failed workload which does `steps`.

    Each check that the failure names has to be known; None otherwise. Of several the first counts.
    """
    by_check = {
        check: entry
        for entry in known
        if entry.workloads in steps
        for check in checks_in(entry.message)[:1]
    }
    checks = checks_in(failure)
    if not checks or not by_check.keys() >= set(checks):
        return None
    return by_check[checks[0]]
