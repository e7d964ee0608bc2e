"""RabbitMQ in a container, for machines with a container engine (extra `containers`).

`TOUCHSTONE_RABBITMQ_IMAGE` names another image than `rabbitmq:4.1`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from jms_brokers.brokers.container import HOST, READY_WITHIN, ContainerBroker, ContainerPlan
from jms_brokers.brokers.container_engine import Images
from jms_brokers.brokers.credentials import make_password, with_accounts
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.limits import NONE
from jms_brokers.brokers.ports import free_ports
from jms_brokers.brokers.profiles import COMMON, profile_of
from jms_brokers.errors import BrokerError
from jms_brokers.families.rabbitmq import accounts as rabbitmq_accounts
from jms_brokers.families.rabbitmq import readiness
from jms_brokers.families.rabbitmq.product import ADMINISTRATION, NAME
from jms_brokers.families.rabbitmq.server import PLUGINS, USER

_NODE = "rabbit@localhost"
_PORT = 5672
_ENABLED = "/etc/rabbitmq/enabled_plugins"
_DEFINITIONS = "/etc/rabbitmq/definitions.json"
_LOADING = "/etc/rabbitmq/conf.d/90-touchstone.conf"


class ContainerRabbitMQ(ContainerBroker):
    """One node in a container of our own; see `ContainerBroker`."""

    product = "RabbitMQ"
    images = Images("rabbitmq:4.1", "touchstone/rabbitmq:3.10", "TOUCHSTONE_RABBITMQ_IMAGE")
    usual_memory = 512

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
        password = make_password()
        address = BrokerAddress(
            service_url=f"amqp://{HOST}:{port}",
            admin_url="",
            profile=self._profile_name,
            way="container",
            version="",
            family=NAME,
            user_name=USER,
            password=password,
        )
        files = {_ENABLED: f"[{', '.join(PLUGINS)}].\n".encode()}
        if self._profile.secured:
            address = with_accounts(address)
        limits = self._profile.limits
        if self._profile.secured or limits != NONE:
            users = address.role_tokens or {USER: password}
            files[_DEFINITIONS] = rabbitmq_accounts.definitions(users, limits)
            files[_LOADING] = rabbitmq_accounts.settings(_DEFINITIONS, limits).encode()
        return ContainerPlan(
            address,
            ports={_PORT: port},
            environment={
                "RABBITMQ_DEFAULT_USER": USER,
                "RABBITMQ_DEFAULT_PASS": password,
                "RABBITMQ_NODENAME": _NODE,
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 2:2",
            },
            files=files,
        )

    def _look(self, address: BrokerAddress) -> BrokerAddress | None:
        try:
            identity = readiness.pass_a_message(address)
        except BrokerError:
            return None
        return replace(
            address,
            version=identity.version,
            admin_url=f"{ADMINISTRATION}://{self.container_id}/{_NODE}",
        )

    def _pass_a_message(self, address: BrokerAddress) -> None:
        readiness.pass_a_message(address)
