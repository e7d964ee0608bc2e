"""What workloads do that may bring out a defect, and the checks that a failed one names."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final


class WorkloadStep(StrEnum):
    """What workloads do besides sending, receiving and settling."""

    RECOVER = "recover"
    ROLL_BACK = "rollback"
    THROW = "throw"
    """Their listeners do."""
    LEAVE = "leave"
    """Consumers, with messages that they have not settled."""
    CUT = "cut"
    """Their connections are."""
    RESTART = "restart"
    """The broker is killed and comes back."""


_CHECK: Final = re.compile(r"""['"](D\d\d) """)


def checks_in(message: str) -> tuple[str, ...]:
    """The checks that a failure names: each begins one of the texts of a list."""
    return tuple(dict.fromkeys(_CHECK.findall(message)))
