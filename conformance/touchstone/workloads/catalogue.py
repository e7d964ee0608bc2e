"""The workloads by their names."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from touchstone.errors import UsageError
from touchstone.workloads.library.failures import FAILURES
from touchstone.workloads.library.features import FEATURES
from touchstone.workloads.library.kinds import KINDS
from touchstone.workloads.library.queues import QUEUES
from touchstone.workloads.library.topics import TOPICS
from touchstone.workloads.model import Workload, checked

WORKLOADS: Final[Mapping[str, Workload]] = {
    each.name: checked(each) for each in (*QUEUES, *TOPICS, *KINDS, *FEATURES, *FAILURES)
}


def workload(name: str) -> Workload:
    """The workload of that name; `UsageError` with close matches otherwise."""
    try:
        return WORKLOADS[name]
    except KeyError:
        close = get_close_matches(name, WORKLOADS, n=3)
        raise UsageError(
            f"There is no workload {name!r}",
            hint=f"Did you mean {' or '.join(close)}?"
            if close
            else f"There are: {', '.join(WORKLOADS)}.",
        ) from None
