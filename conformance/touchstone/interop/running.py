"""One run of pairs: its clients, its folder of results, and what people read of it."""

from __future__ import annotations

import platform
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.machine.secrecy import hide_secrets
from jms_brokers.shared.settings import BrokerSettings
from jms_clients.errors import ProviderError
from jms_clients.readiness import java_version, make_ready
from jms_clients.registry import Spelling, load_provider
from touchstone.brokers.asked_for import broker_asked_for, java_used
from touchstone.brokers.broker_set import BrokerSet
from touchstone.catalogue.deviations import Deviation, Subject
from touchstone.errors import HarnessError, UsageError
from touchstone.interop.behaviours import BEHAVIOURS
from touchstone.interop.broker_look import forget
from touchstone.interop.conducting import Conductor
from touchstone.interop.judging import PairExchange, PairSide, stale, unless
from touchstone.interop.opening import opened
from touchstone.interop.pairs import ALWAYS, EVERYBODY, RAW_CLIENT
from touchstone.interop.samples import samples
from touchstone.judging.facts import this_machine
from touchstone.outcomes.known_deviations import subject_of
from touchstone.results.run_folder import EXCHANGES, RunFolder, new_run
from touchstone.scenario.clock import ClockWatch
from touchstone.verdicts import ExitStatus, Strength, exit_status

_TENANT = "touchstone"


@dataclass
class PairRequest:
    """What a run was asked for."""

    clients: Sequence[str]
    exchanges: Sequence[str]
    results: Path
    broker: BrokerSettings
    options: Sequence[str] = ()
    """The words of the command line that a rerun needs besides clients and exchanges."""
    allow_inconclusive: str | None = None


@dataclass
class PairOutcome:
    """What a run showed."""

    folder: Path
    exchanges: list[PairExchange] = field(default_factory=list)
    stale: list[Deviation] = field(default_factory=list)
    status: ExitStatus = ExitStatus.FAULT


def names_of_exchanges() -> tuple[str, ...]:
    """Every name that an exchange may have."""
    return (*samples("public/default"), *ALWAYS, *BEHAVIOURS)


def check(wanted: PairRequest, known: Iterable[Deviation]) -> None:
    """`UsageError` for clients and exchanges that cannot be; `HarnessError` for such entries."""
    names = names_of_exchanges()
    for name in wanted.exchanges:
        if name not in names:
            raise UsageError(f"There is no exchange {name!r}", hint=f"There are {', '.join(names)}")
    if double := [name for name, count in Counter(wanted.clients).items() if count > 1]:
        raise UsageError(f"{double[0]} is named twice", hint="Name each client once.")
    for entry in known:
        if not entry.of_exchange:
            continue
        stem, star, _ = entry.scenario.partition("/")[2].partition("[")[0].partition("*")
        if not any(name == stem or (star and name.startswith(stem)) for name in names):
            raise HarnessError(
                f"{entry}: there is no such exchange", hint=f"There are {', '.join(names)}"
            )


def clients_of(names: Sequence[str], broker_version: str) -> list[tuple[PairSide, dict[str, Any]]]:
    """The clients with what the results say of them; `ProviderError` for one that cannot be.

    A client that cannot run on this machine stays, so that its pairs are told as not judged.
    """
    return [_client(name, broker_version) for name in names]


def _client(name: str, broker_version: str) -> tuple[PairSide, dict[str, Any]]:
    if name == RAW_CLIENT:
        raw = version("pulsar-client")
        facts = {"name": name, "version": raw, "transport": "native", "documents": []}
        return PairSide(name, Subject(name, raw, "native", "pulsar", broker_version)), facts
    provider = load_provider(name)
    if provider.broker_family != "pulsar":
        raise ProviderError(
            f"{name} talks to brokers of the family {provider.broker_family}",
            hint="Pairs are judged on one Pulsar; see `touchstone providers` for its clients.",
        )
    facts = {
        "name": name,
        "version": provider.version,
        "transport": provider.transport,
        "documents": sorted(provider.documents),
        "capabilities": sorted(provider.capabilities),
        "java": (java := java_version(provider)),
    }
    base = Spelling.parse(name).base
    return PairSide(name, subject_of(provider, broker_version, base, java=java)), facts


def run(wanted: PairRequest, known: Sequence[Deviation]) -> PairOutcome:
    """Let every pair exchange everything, and write the results as they come."""
    check(wanted, known)
    started, began = _now(), time.perf_counter()
    _, facts_of_clients = zip(*clients_of(wanted.clients, ""), strict=True)
    folder = RunFolder(new_run(started, "interop", wanted.results), EXCHANGES)
    outcome = PairOutcome(folder.path)
    facts = _facts(wanted, folder.path.name, started, facts_of_clients)
    folder.write_run(facts)
    clock = ClockWatch()

    def tell(exchange: PairExchange) -> None:
        exchange = unless(clock.was_set(), exchange)
        outcome.exchanges.append(exchange)
        folder.add([{**exchange.as_dict(), "rerun": _rerun(wanted, exchange)}])

    complete = False
    try:
        obstacles = _obstacles(wanted)
        with BrokerSet(wanted.broker) as brokers:
            address = brokers.address("plain")
            facts["brokers"] = [_broker(address)]
            listed = [client for client, _ in clients_of(wanted.clients, address.version)]
            _conduct(wanted, address, listed, known, tell, obstacles)
        outcome.stale = _stale(wanted, known, outcome.exchanges, listed)
        outcome.status = _status(wanted, outcome)
        complete = True
    finally:
        ended = {
            **facts,
            "finished": _now() if complete else None,
            "exit_status": int(outcome.status),
            "stale": [str(entry) for entry in outcome.stale],
            "counts": dict(Counter(exchange.verdict.value for exchange in outcome.exchanges)),
            "timings": {"total": round(time.perf_counter() - began, 3)},
        }
        folder.finish(ended, complete=complete)
    return outcome


def _obstacles(wanted: PairRequest) -> dict[str, str]:
    """Why clients cannot run here; fetches what the others need."""
    obstacles: dict[str, str] = {}
    for name in wanted.clients:
        if name != RAW_CLIENT:
            try:
                make_ready(load_provider(name), offline=wanted.broker.offline)
            except ProviderError as error:
                obstacles[name] = ": ".join(filter(None, (error.what, error.hint)))
    return obstacles


def _conduct(
    wanted: PairRequest,
    address: BrokerAddress,
    listed: Sequence[PairSide],
    known: Sequence[Deviation],
    tell: Callable[[PairExchange], None],
    obstacles: Mapping[str, str],
) -> None:
    namespace = f"{_TENANT}/interop-{uuid.uuid4().hex[:8]}"
    try:
        with opened(listed, address, namespace, obstacles) as clients:
            conductor = Conductor(clients, address, namespace, known, tell, wanted.exchanges)
            with closing(conductor):
                conductor.conduct()
    finally:
        forget(address, namespace)


def _stale(
    wanted: PairRequest,
    known: Sequence[Deviation],
    exchanges: Sequence[PairExchange],
    clients: Sequence[PairSide],
) -> list[Deviation]:
    """Only a run of everybody shows that something does not happen: it may take a certain peer."""
    if wanted.exchanges or not set(EVERYBODY) <= set(wanted.clients):
        return []
    return stale(known, exchanges, clients)


def _status(wanted: PairRequest, outcome: PairOutcome) -> ExitStatus:
    return exit_status(
        ((exchange.verdict, Strength.MUST) for exchange in outcome.exchanges),
        stale_deviations=len(outcome.stale),
        allow_inconclusive=wanted.allow_inconclusive is not None,
    )


def _rerun(wanted: PairRequest, exchange: PairExchange) -> str:
    pair = dict.fromkeys((exchange.producer, exchange.consumer))
    words = [f"--client {name}" for name in pair]
    only = [] if exchange.name in ALWAYS else [f"--exchange {exchange.name}"]
    return " ".join(["touchstone interop", *words, *wanted.options, *only])


def _facts(
    wanted: PairRequest, run_id: str, started: str, clients: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "format": 1,
        "id": run_id,
        "started": started,
        "finished": None,
        "seed": 0,
        "command": hide_secrets(sys.argv),
        "touchstone": version("jms-touchstone"),
        "python": platform.python_version(),
        "machine": this_machine(),
        "providers": list(clients),
        "brokers": [broker_asked_for(wanted.broker)],
        "java": java_used(wanted.broker, [str(client.get("java", "")) for client in clients]),
        "exit_status": None,
        "allow_inconclusive": wanted.allow_inconclusive,
    }


def _broker(address: BrokerAddress) -> dict[str, Any]:
    return {
        "family": address.family,
        "way": address.way,
        "version": address.version,
        "profile": address.profile,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
