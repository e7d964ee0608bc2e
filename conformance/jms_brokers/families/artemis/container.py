"""Apache Artemis in a container, for machines with a container engine (extra `containers`).

`TOUCHSTONE_ARTEMIS_IMAGE` names another image than `apache/artemis` of the version that is
embedded.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from jms_brokers.amqp import readiness as amqp_readiness
from jms_brokers.brokers.container import HOST, READY_WITHIN, ContainerBroker, ContainerPlan
from jms_brokers.brokers.container_engine import Images
from jms_brokers.brokers.credentials import with_accounts
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.ports import free_ports
from jms_brokers.brokers.profiles import COMMON, profile_of
from jms_brokers.families.artemis import accounts as artemis_accounts
from jms_brokers.families.artemis import readiness as artemis_readiness
from jms_brokers.families.artemis.configuration import broker_xml
from jms_brokers.families.artemis.product import NAME

VERSION = "2.55.0"
_INSTANCE = "/var/lib/artemis-instance"
_OVERRIDE = f"{_INSTANCE}/etc-override"
"""The image copies what lies there over the configuration of the instance that it makes."""
_PORT = 5672


class ContainerArtemis(ContainerBroker):
    """One Artemis broker in a container of our own; see `ContainerBroker`."""

    product = "Artemis"
    images = Images(
        f"apache/artemis:{VERSION}", f"touchstone/artemis:{VERSION}", "TOUCHSTONE_ARTEMIS_IMAGE"
    )
    usual_memory = 640

    def __init__(
        self,
        profile: str = "plain",
        *,
        log: Path | None = None,
        memory: int | None = None,
        ready_within: float = READY_WITHIN,
    ) -> None:
        self._profile = profile_of(NAME, COMMON, profile)
        super().__init__(profile, log=log, memory=memory, ready_within=ready_within)

    def _plan(self) -> ContainerPlan:
        (port,) = free_ports(1)
        address = BrokerAddress(
            service_url=f"amqp://{HOST}:{port}",
            admin_url="",
            profile=self._profile_name,
            way="container",
            version="",
            family=NAME,
        )
        secured, login, files = self._profile.secured, "", {}
        if secured:
            address = with_accounts(address)
            login = f" -Djava.security.auth.login.config={_INSTANCE}/etc/{artemis_accounts.LOGIN}"
            accounts = artemis_accounts.files(address.role_tokens)
            files = {f"{_OVERRIDE}/{name}": content for name, content in accounts.items()}
        everywhere = "0.0.0.0"  # noqa: S104 (inside)
        data, limits = f"{_INSTANCE}/data", self._profile.limits
        xml = broker_xml("touchstone", data, everywhere, _PORT, secured=secured, limits=limits)
        return ContainerPlan(
            address,
            ports={_PORT: port},
            environment={
                "ANONYMOUS_LOGIN": "true",
                "JAVA_ARGS": "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1" + login,
            },
            files={**files, f"{_OVERRIDE}/broker.xml": xml.encode()},
        )

    def _look(self, address: BrokerAddress) -> BrokerAddress | None:
        if not amqp_readiness.answers(address):
            return None
        return replace(address, version=artemis_readiness.version(address))

    def _pass_a_message(self, address: BrokerAddress) -> None:
        amqp_readiness.pass_a_message(address)
