"""What the tests of the harness share: each begins without the secrets that another one told."""

from __future__ import annotations

import pytest

from jms_brokers.machine import secrecy


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A password such as `wrong` is hidden in whatever the process says from then on."""
    monkeypatch.setattr(secrecy, "_told", set())
