"""A small workload by the client under test on the broker of a scenario, judged at once."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from jms_brokers.shared.probe import BrokerProbe
from jms_clients.interface import Client, Provider
from jms_clients.lacking import lacking
from jms_clients.presets import overlaid
from jms_histories.history.recording import FOLDER
from jms_histories.history.seal import HISTORY, seal
from jvm_runtime.own_folders import OwnFolder
from touchstone.workloads.broker_view import broker_view
from touchstone.workloads.faulting import Faulting
from touchstone.workloads.model import Workload, checked, possible_workload
from touchstone.workloads.running import WorkloadRun
from touchstone.workloads.tasks import WorkloadPlan
from touchstone.workloads.verdict import WorkloadVerdict, judge_history
from touchstone.workloads.workers import Task, Thread, WorkloadWorker


def run_here(
    workload: Workload,
    client: Client,
    provider: Provider,
    around: BrokerProbe,
    *,
    messages: int,
    faulting: Faulting | None = None,
    seed: int = 1,
    settings: Mapping[str, object] | None = None,
    has_jms_2: bool = True,
    stalled_after: float,
) -> WorkloadVerdict:
    """Run a workload with its producers and consumers on threads of this process.

    `settings` are given to every factory; `faulting` does the faults of a workload that has some.
    Of a client that has no JMS 2.0 the workload is what can be done without.
    AssertionError when the client does not get through with it: when messages remain for
    `stalled_after` seconds that nobody takes, or it fails. What hinders the run otherwise, such as
    a broker that does not come again, is raised as it is: it speaks against no client.
    """
    workload = possible_workload(checked(workload), lacking(provider, has_jms_2=has_jms_2))
    plan = WorkloadPlan.of(
        workload,
        provider,
        overlaid(around.settings, settings or {}),
        messages=messages,
        seed=seed,
        prefix=f"w{uuid.uuid4().hex[:8]}_",
    )
    with OwnFolder("workload") as folder:
        run = f"{workload.name}-{seed}"

        def start_worker(task: Task) -> WorkloadWorker:
            return Thread(task, client, folder / FOLDER, run)

        outcome = WorkloadRun(
            plan,
            broker_view(plan, around),
            start_worker,
            folder / FOLDER,
            run,
            faulting=faulting,
            stalled_after=stalled_after,
        ).run()
        if outcome.fault is not None:
            raise outcome.fault
        if outcome.failure:
            raise AssertionError(
                f"The workload {workload.name} did not get through: {outcome.failure}"
            )
        seal(folder)
        return judge_history(folder / HISTORY)
