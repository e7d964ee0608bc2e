"""The faults of one scenario, on one broker; everything ends with the scenario."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.faults.byte_proxy import ByteProxy
from jms_brokers.faults.http_proxy import HttpProxy
from jms_brokers.faults.process import OwnedProcess
from jms_brokers.faults.relay import Relay
from jms_brokers.faults.rules import FaultError
from jms_brokers.shared.registry import family_named
from jms_clients.other_process import LOAD_PROVIDER, OtherProcess
from jms_clients.trace import Trace
from touchstone.scenario.noted_proxy import NotedProxy


class Faults:
    """Makes proxies, takes hold of processes and opens the client a second time.

    What it made is closed in reverse order at the end; `FaultError` then tells of a proxy that
    failed.
    """

    def __init__(
        self,
        broker: BrokerAddress,
        provider: str = "reference",
        *,
        opener: str = LOAD_PROVIDER,
        trace: Trace | None = None,
    ) -> None:
        """Faults between `provider`, by its spelling, and `broker`; the trace tells of them."""
        self._broker = broker
        self._provider = provider
        self._opener = opener
        self._trace = trace or Trace()
        self._made = ExitStack()

    def byte_proxy(self) -> tuple[ByteProxy, BrokerAddress]:
        """A proxy that knows no protocol, and the broker's address through it.

        For any broker, TLS included. Where brokers tell clients who serves a destination, a client
        of a cluster leaves it after look-up: `frame_proxy` can do the same there.
        """
        url = urlsplit(self._broker.service_url.split(",")[0])
        if not url.hostname or url.port is None:
            raise FaultError(
                f"no host and port in {self._broker.service_url}",
                hint="name the broker as SCHEME://HOST:PORT",
            )
        proxy = self._made.enter_context(NotedProxy(url.hostname, url.port, self._trace))
        return proxy, self._through(f"{url.scheme}://{proxy.host}:{proxy.port}")

    def frame_proxy(self) -> tuple[Relay, BrokerAddress]:
        """A proxy with rules for the frames of the broker's protocol, and the address through it.

        `FaultError` where no proxy reads them.
        """
        url, family = self._broker.service_url, self._broker.family
        frames = family_named(family).frames
        if frames is None:
            raise FaultError(f"no proxy reads the frames of {family}", hint="use byte_proxy")
        self._note("frame proxy")
        proxy = self._made.enter_context(frames().proxy(url))
        return proxy, self._through(f"{urlsplit(url).scheme}://{proxy.host}:{proxy.port}")

    def admin_proxy(self) -> tuple[HttpProxy, BrokerAddress]:
        """A proxy with rules for requests to the administration, and the address with it."""
        url = urlsplit(self._broker.admin_url)
        if url.scheme != "http" or not url.hostname:
            raise FaultError(
                f"no proxy reads {self._broker.admin_url}", hint="it needs http://HOST:PORT"
            )
        self._note("admin proxy")
        proxy = self._made.enter_context(HttpProxy(url.hostname, url.port or 80))
        address = replace(self._broker, admin_url=f"http://{proxy.host}:{proxy.port}")
        return proxy, address

    def process(self, pid: int) -> OwnedProcess:
        """A process that this one started, to be paused, resumed or killed."""
        self._note("process")
        return self._made.enter_context(OwnedProcess(pid))

    def other_process(self, broker: BrokerAddress | None = None) -> OtherProcess:
        """The provider again, in a killable child process; `broker` is the scenario's by default.

        `other_process().client` is used like the client here.
        """
        self._note("other process")
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

    def _note(self, what: str) -> None:
        """Note a fault that no relay of bytes makes."""
        self._trace.add("note", "faults", what)

    def _through(self, service_url: str) -> BrokerAddress:
        return replace(self._broker, service_url=service_url)
