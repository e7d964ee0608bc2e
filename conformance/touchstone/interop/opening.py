"""The clients of a run of pairs: each is opened in a process of its own, all at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import cast

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import HintedError
from jms_clients.errors import ProviderError
from jms_clients.other_process import OtherProcess
from touchstone.interop.judging import PairSide
from touchstone.interop.pairs import RAW_CLIENT
from touchstone.interop.parts import Partner


@dataclass
class Clients:
    """The clients of a run: those that were opened, and why the others were not."""

    listed: Sequence[PairSide]
    partners: Mapping[str, Partner]
    problems: Mapping[str, str]


@contextmanager
def opened(
    clients: Sequence[PairSide],
    address: BrokerAddress,
    namespace: str,
    obstacles: Mapping[str, str],
) -> Iterator[Clients]:
    """Open each client in a process of its own, all at once, but for those with an obstacle."""
    partners: dict[str, Partner] = {}
    problems: dict[str, str] = {}

    def start(client: PairSide) -> OtherProcess | HintedError:
        if client.name in obstacles:
            return ProviderError(obstacles[client.name])
        room = "raw" if client.name == RAW_CLIENT else "jms"
        opener = f"touchstone.interop.{room}.partner:partner"
        try:
            return OtherProcess(f"{namespace} {client.name}", address, opener=opener)
        except HintedError as error:
            return error
        except Exception as error:
            return ProviderError(f"{client.name} could not be opened: {error}")

    with ExitStack() as stack, ThreadPoolExecutor(max(1, len(clients))) as pool:
        for client, process in zip(clients, pool.map(start, clients), strict=True):
            if isinstance(process, HintedError):
                problems[client.name] = process.what
            else:
                stack.callback(_close, process)
                partners[client.name] = cast(Partner, process.client)
        yield Clients(clients, partners, problems)


def _close(process: OtherProcess) -> None:
    """What was exchanged has been told: a client that closes badly changes nothing of it."""
    try:
        process.close()
    except Exception:
        process.kill()
