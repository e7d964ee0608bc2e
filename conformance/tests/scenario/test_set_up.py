"""Set-up that fails says what to do, and speaks against nobody."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jms_clients.errors import NotInThisVersion, ProviderError
from jms_clients.trace import Trace
from jmsapi import JMSException
from touchstone.scenario.under_test import UnderTest


@pytest.mark.parametrize(
    ("message", "what_to_do"),
    [("Java heap space", "-n 4"), ("Connection refused", "is the broker reachable")],
)
def test_a_connection_that_cannot_be_made_says_what_to_do(message: str, what_to_do: str) -> None:
    def fail(*_: Any) -> Any:
        raise JMSException(message)

    factory = SimpleNamespace(create_connection=fail, closed=False, close=lambda: None)
    client = SimpleNamespace(constants=None, connection_factory=lambda _: factory)
    with pytest.raises(ProviderError, match=message) as failed:
        _ = UnderTest(cast(Any, client), {}, Trace()).connected
    assert what_to_do in failed.value.hint


@pytest.mark.parametrize(
    ("has_jms_2", "is_counted", "is_lacking"),
    [(True, False, False), (True, True, False), (False, True, False), (False, False, True)],
)
def test_only_a_client_of_jms_1_1_may_leave_deliveries_uncounted(
    has_jms_2: bool, is_counted: bool, is_lacking: bool
) -> None:
    client = SimpleNamespace(
        constants=None,
        connection_factory=lambda _: SimpleNamespace(has_jms_2=has_jms_2, closed=False),
    )
    message = SimpleNamespace(property_exists={"JMSXDeliveryCount": is_counted}.__getitem__)
    jms = UnderTest(cast(Any, client), {}, Trace())
    with (
        pytest.raises(NotInThisVersion, match="JMSXDeliveryCount") if is_lacking else nullcontext()
    ):
        jms.needs_count(cast(Any, message))
