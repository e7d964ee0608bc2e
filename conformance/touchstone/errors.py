"""Faults of the harness: no verdicts. Brokers and clients have errors of their own.

Each error says what happened, on which object, and, as its hint, what to do.
"""

from __future__ import annotations

from jms_brokers.errors import HintedError


class HarnessError(HintedError):
    """The harness or its data are at fault: a catalogue, a deviation, a setting, a results file."""


class UsageError(HarnessError):
    """What the user asked for does not exist or does not fit together."""
