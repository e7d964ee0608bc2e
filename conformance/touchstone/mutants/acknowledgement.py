"""Clients that are wrong about acknowledgement."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from jmsapi import SessionMode
from pulsar_jms.connections import connection
from pulsar_jms.mapping.session_modes import (
    INDIVIDUAL_ACKNOWLEDGE,
    MODES,
    AcknowledgedAt,
    Covers,
)
from pulsar_jms.settling.unacknowledged import UnacknowledgedDeliveries
from touchstone.mutants.registry import Mutant

LATER_MESSAGES_ACKNOWLEDGED = Mutant(
    name="later-messages-acknowledged",
    area="acknowledgement",
    violates=("SLJ-ACK-009",),
    doc="acknowledge() covers messages received later, too.",
    apply=partial(
        patch.object,
        UnacknowledgedDeliveries,
        "take_through",
        lambda open_deliveries, number: open_deliveries.take_all(),
    ),
)
INDIVIDUAL_COVERS_EARLIER = Mutant(
    name="individual-covers-earlier",
    area="acknowledgement",
    violates=("SLJ-ACK-014",),
    doc="acknowledge() in INDIVIDUAL_ACKNOWLEDGE covers earlier messages, too.",
    apply=partial(
        patch.dict,
        MODES,
        {INDIVIDUAL_ACKNOWLEDGE: MODES[INDIVIDUAL_ACKNOWLEDGE]._replace(call_covers=Covers.SO_FAR)},
    ),
)
CLIENT_ACKNOWLEDGES_ON_DELIVERY = Mutant(
    name="client-acknowledges-on-delivery",
    area="acknowledgement",
    violates=("SLJ-ACK-011",),
    doc="CLIENT_ACKNOWLEDGE acknowledges what receive() returns, without a call.",
    apply=partial(
        patch.dict,
        MODES,
        {
            SessionMode.CLIENT_ACKNOWLEDGE: MODES[SessionMode.CLIENT_ACKNOWLEDGE]._replace(
                at=AcknowledgedAt.DELIVERY
            )
        },
    ),
)
ANY_MODE_TAKEN = Mutant(
    name="any-mode-taken",
    area="acknowledgement",
    violates=("SLJ-ACK-001",),
    doc="An unknown session mode is taken for AUTO_ACKNOWLEDGE.",
    apply=partial(
        patch.object,
        connection,
        "check_mode",
        lambda mode, modes: mode if mode in modes else SessionMode.AUTO_ACKNOWLEDGE,
    ),
)
