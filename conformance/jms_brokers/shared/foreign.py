"""Where a broker is that somebody else runs, of a family whose users log in by name."""

from __future__ import annotations

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.shared.settings import BrokerSettings


def foreign_address(settings: BrokerSettings, profile: str) -> BrokerAddress:
    """Where the broker is that `settings` name; its version is left open."""
    return BrokerAddress(
        service_url=settings.service_url,
        admin_url="",
        profile=profile,
        way="external",
        version="",
        family=settings.family,
        trust_certificate=settings.trust_certificate,
        user_name=settings.user_name,
        password=settings.password,
        users_log_in=True,
    )
