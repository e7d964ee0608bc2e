"""Clients that are wrong about what the broker's filter does for them."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

from pulsar_jms.configuration import Settings
from pulsar_jms.consuming import subscriptions
from pulsar_jms.consuming.screening import EVERYTHING, SERVER_SIDE, Screen, screen_for
from pulsar_jms.mapping.subscriptions import ConsumerKind
from pulsar_jms.sessions import opening
from pulsar_jms.transport.interface import SubscriptionType
from touchstone.mutants.registry import Mutant


def _unchecked(
    kind: ConsumerKind,
    subscription_type: SubscriptionType,
    settings: Settings,
    selector: str | None,
    not_from: str | None,
) -> Screen:
    screen = screen_for(kind, subscription_type, settings, selector, not_from)
    return _Trusting(screen.selector) if settings.flag(SERVER_SIDE, False) else screen


class _Trusting(Screen):
    """Has a selector to announce, and lets everything pass."""

    fate = EVERYTHING.fate


FILTER_NOT_ASKED = Mutant(
    name="filter-not-asked",
    area="selectors",
    violates=("SLJ-SEL-008",),
    doc="The broker's filter is told nothing, whatever the settings say.",
    apply=partial(
        patch.object,
        opening,
        "told_to_filter",
        lambda request, destination, screen, settings: request,
    ),
)
FILTER_TRUSTED = Mutant(
    name="filter-trusted",
    area="selectors",
    violates=("SLJ-SEL-008",),
    doc="The client delivers whatever a broker that filters sends.",
    apply=partial(patch.object, opening, "screen_for", _unchecked),
)
EVERY_SELECTOR_ANNOUNCED = Mutant(
    name="every-selector-announced",
    area="selectors",
    violates=("SLJ-SEL-001",),
    doc="The broker's filter gets selectors, too, that it cannot evaluate.",
    apply=partial(patch.object, subscriptions, "means_the_same", lambda selector: True),
)
