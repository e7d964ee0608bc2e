"""A workload driven against a broker, in processes, with its folder of results."""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.brokers.profiles import PLAIN
from jms_brokers.errors import HintedError
from jms_brokers.machine.secrecy import hide_in
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.registry import broker_for, family_named, probe_for
from jms_brokers.shared.settings import BrokerSettings
from jms_clients.errors import ProviderError
from jms_clients.interface import Provider
from jms_clients.lacking import lacking
from jms_clients.presets import preset
from jms_clients.readiness import make_ready, obstacle
from jms_clients.registry import load_provider
from jms_histories.history.recording import FOLDER
from jms_histories.values import FaultKind
from jvm_runtime.own_folders import OwnFolder
from touchstone.errors import UsageError
from touchstone.results.run_folder import new_run
from touchstone.scenario.faults import Faults
from touchstone.scenario.worker import TENANT
from touchstone.workloads.broker_view import broker_view
from touchstone.workloads.describing import RunOutcome
from touchstone.workloads.faulting import BrokerFaults
from touchstone.workloads.model import FaultPlan, Workload, checked, possible_workload
from touchstone.workloads.running import WorkloadRun
from touchstone.workloads.tasks import WorkloadPlan
from touchstone.workloads.workers import Process, Task

BYTES_A_MESSAGE = 1_000
"""What a message takes on the disk until it is sealed: its records, and its copy at the broker."""
_EMULATED = "jms.emulateTransactions"
"""The key by which a client's preset for transactions says that they are not the broker's."""


@dataclass(frozen=True)
class WorkloadRequest:
    """What a run was asked for."""

    workload: Workload
    provider: str
    messages: int
    seed: int
    results: Path
    broker: BrokerSettings = field(default_factory=BrokerSettings)
    faults: tuple[FaultKind, ...] | None = None
    """Instead of the workload's own; None: those."""
    recorded: bool = True
    stalled_after: float = 60.0


@dataclass(frozen=True)
class Driven:
    """What came of it; `seconds` is the whole run with the broker's start."""

    folder: Path
    outcome: RunOutcome
    seconds: float


def drive(wanted: WorkloadRequest, tell: Callable[[str], None] = lambda line: None) -> Driven:
    """Run the workload; its recording is in the folder `recording` of the folder of results.

    Raises `UsageError` for what does not fit together, `ProviderError` and `BrokerError` where the
    run cannot begin. What goes wrong later is told in the outcome.
    """
    provider = load_provider(wanted.provider)
    workload = _fitting_workload(wanted, provider)
    why = obstacle(provider) if wanted.broker.way == "embedded" else ""
    if why:
        raise ProviderError(
            f"{wanted.provider} cannot run here: {why}", hint="See `touchstone doctor`."
        )
    make_ready(provider, offline=wanted.broker.offline)
    moment = datetime.now(UTC).isoformat()
    try:
        wanted.results.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"Results cannot be written to {wanted.results}: {error.strerror}",
            hint="Name another folder by --results.",
        ) from error
    _require_space(wanted)
    folder = new_run(moment, f"{workload.name}-{wanted.provider}", wanted.results)
    run, recording = folder.name, folder / FOLDER
    recording.mkdir()
    began = time.monotonic()
    with ExitStack() as stack:
        temporary = stack.enter_context(OwnFolder("workload"))
        settings = replace(wanted.broker, family=provider.broker_family, log_folder=str(folder))
        stack.callback(_hide_in_logs, folder)  # when the broker has ended
        broker = stack.enter_context(_broker(settings))
        about = _broker_text(broker.address)
        tell(f"broker: {about}")
        for task in wanted.workload.consuming:
            if task not in workload.consuming:
                tell(f"left out: {task.kind.value} subscription {task.name}, which it has not got")
        around = stack.enter_context(_probe(broker.address))
        client_address = around.client_address(broker.address)
        proxy = None
        if any(fault.kind is FaultKind.CUT for fault in workload.faults):
            faults = stack.enter_context(Faults(client_address, wanted.provider))
            proxy, client_address = faults.byte_proxy()
        plan = WorkloadPlan.of(
            workload,
            provider,
            around.settings,
            messages=wanted.messages,
            seed=wanted.seed,
            prefix=f"w{uuid.uuid4().hex[:6]}_",
        )
        name = run if wanted.recorded else ""

        def start_worker(task: Task) -> Process:
            return Process(
                task, wanted.provider, client_address, recording, name, temporary=temporary
            )

        outcome = WorkloadRun(
            plan,
            broker_view(plan, around),
            start_worker,
            recording,
            run,
            faulting=BrokerFaults(
                broker if settings.way != "external" else None,
                proxy,
            ),
            broker=about,
            stalled_after=wanted.stalled_after,
            tell=tell,
        ).run()
    return Driven(folder, outcome, time.monotonic() - began)


def _fitting_workload(wanted: WorkloadRequest, provider: Provider) -> Workload:
    """The workload as it is to be run; `UsageError` where it cannot be."""
    workload = wanted.workload
    if wanted.faults is not None:
        workload = replace(workload, faults=tuple(FaultPlan(kind=kind) for kind in wanted.faults))
    checked(workload)
    if workload.families and provider.broker_family not in workload.families:
        raise UsageError(
            f"The workload {workload.name} is for brokers of the family"
            f" {' or '.join(sorted(workload.families))}, {wanted.provider} talks to"
            f" {provider.broker_family}",
            hint="`touchstone workload list` says which workloads every client can run.",
        )
    workload = possible_workload(workload, lacking(provider))
    if "transactions" in workload.capabilities and _EMULATED in preset(provider, "transactions"):
        raise UsageError(
            f"The workload {workload.name} needs transactions of the broker, which"
            f" {wanted.provider} has not",
            hint="Run it with --provider reference-java or starlight.",
        )
    ours = [fault.kind for fault in workload.faults if fault.kind is FaultKind.BROKER_RESTART]
    if ours and wanted.broker.way == "external":
        raise UsageError(
            f"The workload {workload.name} kills its broker, and {wanted.broker.service_url} is"
            " not the run's own",
            hint="Leave out --broker, or the fault by --faults none.",
        )
    if wanted.messages < len(workload.sending):
        raise UsageError(
            f"{wanted.messages} messages are too few for the producers of {workload.name}",
            hint="Ask for at least 100.",
        )
    return workload


def _require_space(wanted: WorkloadRequest) -> None:
    needed = wanted.messages * BYTES_A_MESSAGE
    free = shutil.disk_usage(wanted.results).free
    if free < needed:
        raise UsageError(
            f"The disk of {wanted.results} is too full: {wanted.messages:,} messages need about"
            f" {needed / 1e6:,.0f} MB, {free / 1e6:,.0f} MB are free",
            hint="Free some space, ask for fewer messages, or name another disk by --results.",
        )


@contextmanager
def _broker(settings: BrokerSettings) -> Iterator[Broker]:
    """The run's broker; one that is ours does not itself give a message to two."""
    ours = settings.way != "external"
    profile = family_named(settings.family).workload_profile if ours else PLAIN
    with broker_for(settings, profile) as broker:
        yield broker


def _hide_in_logs(folder: Path) -> None:
    """The logs of the run's brokers stay with its recording."""
    for log in folder.glob("*.log"):
        hide_in(log)


def _broker_text(address: BrokerAddress) -> str:
    return f"{address.family} {address.version} ({address.way}, {address.profile})"


@contextmanager
def _probe(address: BrokerAddress) -> Iterator[BrokerProbe]:
    around = probe_for(address, f"{TENANT}/workload-{uuid.uuid4().hex[:8]}")
    try:
        yield around
    finally:
        with suppress(HintedError):
            around.close()
