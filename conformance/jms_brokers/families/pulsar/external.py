"""A Pulsar cluster that somebody else runs: looked at, never started or ended."""

from __future__ import annotations

from dataclasses import replace

import _pulsar
import httpx

from jms_brokers.brokers.foreign import HINT, ForeignBroker
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import ADMIN, profile_of
from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar import readiness
from jms_brokers.families.pulsar.product import NAME
from jms_brokers.families.pulsar.profiles import PROFILES
from jms_brokers.shared.settings import BrokerSettings


class ExternalPulsar(ForeignBroker):
    """The broker that `settings` name; `start` checks that it answers and which version it is.

    It serves the profile `plain`, with its token as `auth`, with a TLS URL as `tls`; others are
    refused, since nobody knows how it is configured.
    """

    def __init__(self, settings: BrokerSettings, profile: str = "plain") -> None:
        wanted = profile_of(NAME, PROFILES, profile)
        secured, tls = settings.token is not None, settings.service_url.startswith("pulsar+ssl")
        if profile != "plain" and not (wanted.secured and secured) and not (wanted.tls and tls):
            raise BrokerError(
                f"The external broker {settings.service_url} is not known to be {profile!r} "
                f"({wanted.summary})",
                hint=HINT,
            )
        super().__init__(
            BrokerAddress(
                service_url=settings.service_url,
                admin_url=settings.admin_url,
                profile=profile,
                way="external",
                version="",
                family=NAME,
                token=settings.token,
                role_tokens={ADMIN: settings.token} if settings.token is not None else {},
                trust_certificate=settings.trust_certificate,
            )
        )

    def look_at(self, address: BrokerAddress) -> BrokerAddress:
        """Check that both URLs answer; raises BrokerError that says which does not and why."""
        identified = replace(address, version=_version(address))
        _look_up(identified)
        return identified


def _version(address: BrokerAddress) -> str:
    try:
        with readiness.AdminApi(address) as admin:
            return admin.version()
    except httpx.HTTPStatusError as error:
        status = error.response.status_code
        if status in (401, 403):
            raise BrokerError(
                f"The broker's admin API {address.admin_url} refuses us ({status})",
                hint="Give a token with the rights of a tenant's administrator"
                if address.token is None
                else "The token is wrong, has expired or has too few rights",
            ) from error
        raise BrokerError(
            f"{address.admin_url} answers {status} where a Pulsar broker tells its version",
            hint="Is this the admin URL (web service URL) of the broker or proxy?",
        ) from error
    except httpx.HTTPError as error:
        raise BrokerError(
            f"The broker's admin API {address.admin_url} does not answer ({error})",
            hint="Is the broker running, the URL right and, with TLS, its authority trusted?",
        ) from error


def _look_up(address: BrokerAddress) -> None:
    client = readiness.client(address)
    try:
        client.get_topic_partitions("persistent://public/default/touchstone-look-up")
    except _pulsar.PulsarException as error:
        raise BrokerError(
            f"The broker {address.service_url} does not answer ({error})",
            hint="Is the URL right, is the token accepted, is the certificate's authority trusted?",
        ) from error
    finally:
        client.close()
