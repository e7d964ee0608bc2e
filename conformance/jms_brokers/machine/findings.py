"""What an examination of this machine finds: checks that each look at one thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from jms_brokers.machine.secrecy import hide_secrets
from jvm_runtime.jvm_errors import JvmRuntimeError


class CheckState(StrEnum):
    """How a check ended."""

    FINE = "fine"
    LACKS = "lacks"
    """Something that only some uses need is not there."""
    FAILS = "fails"
    """The main job cannot be done."""


@dataclass(frozen=True)
class MachineFinding:
    """What one check saw, and what to do about it."""

    state: CheckState
    seen: str
    advice: str = ""

    def as_dict(self) -> dict[str, object]:
        """Plain data for JSON."""
        return asdict(self)


Check = Callable[[], MachineFinding]


def examine(check: Check) -> MachineFinding:
    """The finding of `check`; one that cannot be made is a failure by itself."""
    try:
        finding = check()
    except JvmRuntimeError as error:
        finding = MachineFinding(CheckState.FAILS, error.message, error.hint)
    except OSError as error:
        finding = MachineFinding(CheckState.FAILS, str(error), "Look at the file named.")
    return replace(finding, seen=hide_secrets(finding.seen), advice=hide_secrets(finding.advice))
