"""Texts that can travel between processes and to people: half a character cannot be encoded, and
secrets stay here."""

from __future__ import annotations

from typing import Any

import pytest

from jms_brokers.machine.secrecy import hide_secrets


def encodable(value: Any) -> Any:
    """`value` with every lone surrogate of its texts as an escape, `\\ud800`; the rest as it is."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(encodable(item) for item in value)
    return value


def fit_to_leave(value: Any) -> Any:
    """`value` without secrets, and with its texts such that they can be encoded."""
    return encodable(hide_secrets(value))


def make_fit_to_leave(report: pytest.TestReport) -> None:
    """Escape the texts of a report before a worker sends it, since one that cannot be sent ends the
    worker, and take the secrets out of them.

    The properties are ours and have none.
    """
    report.user_properties = encodable(report.user_properties)
    report.sections = fit_to_leave(report.sections)
    if isinstance(report.longrepr, (str, tuple)):
        report.longrepr = fit_to_leave(report.longrepr)
