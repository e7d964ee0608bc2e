"""The faults of one scenario, on one broker; everything ends with the scenario."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from touchstone.brokers.interface import BrokerAddress
from touchstone.families.amqp import proxy as amqp_proxy
from touchstone.families.amqp.proxy import AmqpProxy
from touchstone.families.pulsar import proxy as pulsar_proxy
from touchstone.families.pulsar.proxy import PulsarProxy
from touchstone.faults.byte_proxy import ByteProxy
from touchstone.faults.http_proxy import HttpProxy
from touchstone.faults.process import OwnedProcess
from touchstone.faults.relay import Relay
from touchstone.faults.rules import FaultError
from touchstone.providers.other_process import LOAD_PROVIDER, OtherProcess

_PORTS = {"pulsar": 6650, "pulsar+ssl": 6651, "amqp": 5672, "amqps": 5671}


class Faults:
    """Makes proxies, takes hold of processes and opens the client a second time.

    What it made is closed in reverse order at the end; `FaultError` then tells of a proxy that
    failed.
    """

    def __init__(
        self, broker: BrokerAddress, provider: str = "reference", *, opener: str = LOAD_PROVIDER
    ) -> None:
        """Faults between `provider`, by its spelling, and `broker`."""
        self._broker = broker
        self._provider = provider
        self._opener = opener
        self._made = ExitStack()

    def byte_proxy(self) -> tuple[ByteProxy, BrokerAddress]:
        """A proxy that knows no protocol, and the broker's address through it.

        For any broker, TLS included. A client of a Pulsar cluster leaves it after look-up, unless
        the broker is standalone: where the protocol is Pulsar's, `frame_proxy` can do the same.
        """
        url = urlsplit(self._broker.service_url.split(",")[0])
        port = url.port or _PORTS.get(url.scheme)
        if not url.hostname or port is None:
            raise FaultError(
                f"no host and port in {self._broker.service_url}",
                hint="name the broker as SCHEME://HOST:PORT",
            )
        proxy = self._made.enter_context(ByteProxy(url.hostname, port))
        return proxy, self._through(f"{url.scheme}://{proxy.host}:{proxy.port}")

    def frame_proxy(self) -> tuple[Relay, BrokerAddress]:
        """A proxy with rules for the frames of the broker's protocol, and the address through it.

        Pulsar's and AMQP 1.0 are read; `FaultError` for other protocols.
        """
        url = self._broker.service_url
        match self._broker.family:
            case "pulsar":
                proxy: Relay = PulsarProxy(*pulsar_proxy.host_and_port(url))
                scheme = "pulsar"
            case "artemis":
                proxy, scheme = AmqpProxy(*amqp_proxy.host_and_port(url)), "amqp"
            case family:
                raise FaultError(f"no proxy reads the frames of {family}", hint="use byte_proxy")
        self._made.enter_context(proxy)
        return proxy, self._through(f"{scheme}://{proxy.host}:{proxy.port}")

    def admin_proxy(self) -> tuple[HttpProxy, BrokerAddress]:
        """A proxy with rules for requests to the administration, and the address with it."""
        url = urlsplit(self._broker.admin_url)
        if url.scheme != "http" or not url.hostname:
            raise FaultError(
                f"no proxy reads {self._broker.admin_url}", hint="it needs http://HOST:PORT"
            )
        proxy = self._made.enter_context(HttpProxy(url.hostname, url.port or 80))
        address = replace(self._broker, admin_url=f"http://{proxy.host}:{proxy.port}")
        return proxy, address

    def process(self, pid: int) -> OwnedProcess:
        """A process that this one started, to be paused, resumed or killed."""
        return self._made.enter_context(OwnedProcess(pid))

    def other_process(self, broker: BrokerAddress | None = None) -> OtherProcess:
        """The provider again, in a killable child process; `broker` is the scenario's by default.

        `other_process().client` is used like the client here.
        """
        return self._made.enter_context(
            OtherProcess(self._provider, broker or self._broker, opener=self._opener)
        )

    def close(self) -> None:
        """End everything that was made here."""
        self._made.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _through(self, service_url: str) -> BrokerAddress:
        return replace(self._broker, service_url=service_url)
