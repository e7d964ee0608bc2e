"""Starlight for JMS, the default."""

from __future__ import annotations

from typing import Final

from pulsar_jms.consuming.browser import PulsarQueueBrowser
from pulsar_jms.dialects.dialect import Dialect
from pulsar_jms.implements import implements
from pulsar_jms.mapping.session_modes import MODES
from pulsar_jms.messages import convert
from pulsar_jms.settling.broker_transactions import RealTransaction
from pulsar_jms.settling.settlement import Settlement
from pulsar_jms.settling.transactions import (
    EmulatedTransaction,
    SessionTransaction,
    TransactedSession,
)


@implements("SLJ-TX-003", "SLJ-TX-008")
def transaction_of(session: TransactedSession) -> SessionTransaction:
    """The broker's transactions, or emulated ones where the configuration asks for them."""
    if session.settings.flag("jms.emulateTransactions", False):
        return EmulatedTransaction(session)
    return RealTransaction(session)


STARLIGHT: Final = Dialect(
    name="starlight",
    modes=MODES,
    settlement=Settlement,
    transaction=transaction_of,
    browser=PulsarQueueBrowser,
    convert=convert,
    transport_consumer=lambda mode, plain, message_filter, prefetch: plain,
    keys={},
    initial=lambda environment: {},
)
