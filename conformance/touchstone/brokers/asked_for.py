"""What is known of the broker and the Java of a run before any broker has begun."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from jms_brokers.errors import BrokerError
from jms_brokers.shared.locked import LockedBroker
from jms_brokers.shared.registry import family_named
from jms_brokers.shared.settings import BrokerSettings
from jvm_runtime.jvm_errors import JavaError


def broker_asked_for(settings: BrokerSettings) -> dict[str, str | None]:
    """Family, way and version as run.json has them; no version where the broker has to tell it."""
    version = settings.version
    if locked := _locked_broker(settings):
        version = version or locked.usual
    return {"family": settings.family, "way": settings.way, "version": version or None}


def java_used(settings: BrokerSettings, clients: Iterable[str]) -> str:
    """The versions of Java that clients and the broker run on, those of the `clients` first; empty
    where none of them runs on ours, or there is none.
    """
    return ", ".join(dict.fromkeys(filter(None, (*clients, _java_of_broker(settings)))))


def _java_of_broker(settings: BrokerSettings) -> str:
    if locked := _locked_broker(settings):
        with suppress(JavaError):
            return locked.java().version
    return ""


def _locked_broker(settings: BrokerSettings) -> LockedBroker | None:
    """What is known of the embedded broker; None where it is another one, or no jars are locked."""
    if settings.way != "embedded":
        return None
    with suppress(BrokerError):  # a family that cannot be loaded: whoever needs it will say it
        return family_named(settings.family).locked
    return None
