"""The address, secrets and settings of a broker that is about to be started for a profile."""

from __future__ import annotations

from pathlib import Path

from jms_brokers.brokers import credentials
from jms_brokers.brokers.interface import BrokerAddress, Way
from jms_brokers.brokers.ports import free_ports
from jms_brokers.brokers.profiles import ADMIN, ROLES
from jms_brokers.families.pulsar import configuration
from jms_brokers.families.pulsar.product import NAME
from jms_brokers.families.pulsar.profiles import PulsarProfile

HOST = "127.0.0.1"
_PULSAR_PORTS = (6650, 8080)


def new_address(profile: PulsarProfile, way: Way, secrets: Path) -> BrokerAddress:
    """Return where a new broker of `profile` shall be; write its key and certificate into
    `secrets` if the profile asks for any.
    """
    service, admin = _PULSAR_PORTS if profile.fixed_ports else free_ports(2)
    tokens = credentials.make_tokens(secrets, ROLES) if profile.secured else {}
    certificate = str(credentials.make_certificate(secrets)) if profile.tls else None
    return BrokerAddress(
        service_url=f"{'pulsar+ssl' if profile.tls else 'pulsar'}://{HOST}:{service}",
        admin_url=f"{'https' if profile.tls else 'http'}://{HOST}:{admin}",
        profile=profile.name,
        way=way,
        version="",
        family=NAME,
        token=tokens.get(ADMIN),
        role_tokens=tokens,
        trust_certificate=certificate,
    )


def settings(profile: PulsarProfile, address: BrokerAddress, secrets: str) -> dict[str, str | int]:
    """Return the settings of the broker at `address`; `secrets` is their folder as it sees it."""
    result: dict[str, str | int] = {**configuration.BEHAVIOUR, "advertisedAddress": HOST}
    if profile.tls:
        # The broker's inner client goes without TLS, on ports of its own.
        plain_service, plain_admin = free_ports(2)
        result |= {"brokerServicePort": plain_service, "webServicePort": plain_admin}
        result |= configuration.tls(secrets, address.service_port, address.admin_port)
    else:
        result |= {
            "brokerServicePort": address.service_port,
            "webServicePort": address.admin_port,
        }
    if address.token is not None:
        result |= configuration.security(secrets, address.token)
    return {**result, **configuration.limited_settings(profile.limits), **profile.configuration}
