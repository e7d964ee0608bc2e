"""Markers that a scenario carries."""

from __future__ import annotations

import pytest

slow = pytest.mark.slow
"""The scenario waits long, so it starts first and has twice the time of others."""
permissive = pytest.mark.permissive
"""The statement allows more than one behaviour; the outer bound is judged."""
portable = pytest.mark.portable
"""The scenario needs no vendor's configuration: it also runs on clients whose document is silent.

Their verdict stays NOT-APPLICABLE; what they do enters the table of differences between clients.
`@portable("pulsar")` holds it to brokers of these families, for whoever looks at one with its own
means.
"""


def requirement(*ids: str) -> pytest.MarkDecorator:
    """The ids that a scenario judges; with several, `judging` says which check answers which."""
    return pytest.mark.requirement(*ids)


def broker(profile: str, *, exclusive: bool = False) -> pytest.MarkDecorator:
    """The broker that a scenario needs; an exclusive one may be killed, paused and restarted."""
    return pytest.mark.broker(profile, exclusive=exclusive)


def needs(*capabilities: str) -> pytest.MarkDecorator:
    """Capabilities of the closed list, without which the scenario is NOT-APPLICABLE."""
    return pytest.mark.needs(*capabilities)
