"""A workload as a scenario runs it: small, on the scenario's own broker, judged at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from touchstone.extras import require_volume
from touchstone.scenario.judgement import current
from touchstone.scenario.running import RunningScenario

if TYPE_CHECKING:
    from touchstone.workloads.verdict import WorkloadVerdict

_STALLED_AFTER, _RECOVERED_WITHIN = 20.0, 60.0
"""Seconds without any progress of a workload; where clients have to find their broker again."""


def run_in_scenario(
    at_hand: RunningScenario,
    name: str,
    messages: int,
    settings: Mapping[str, object] | None = None,
) -> WorkloadVerdict:
    """A workload of `touchstone workload list`, driven by the provider and judged.

    `settings` are given to every factory; all are closed with the scenario. AssertionError when it
    does not get through.
    A workload that kills its broker needs a private one.
    """
    require_volume()
    # What few scenarios need, takes long, and is there with that extra only.
    from jms_histories.values import FaultKind
    from touchstone.workloads.catalogue import workload
    from touchstone.workloads.faulting import BrokerFaults
    from touchstone.workloads.model import steps_of
    from touchstone.workloads.small import run_here
    from touchstone.workloads.tasks import presets_of

    chosen = workload(name)
    current().steps.update(steps_of(chosen))
    at_hand.trace.add("note", "workload", name)
    at_hand.preset(*presets_of(chosen))
    faults = {fault.kind for fault in chosen.faults}
    proxy, address = None, at_hand.connected.address
    if FaultKind.CUT in faults:
        proxy, address = at_hand.faults.byte_proxy()
    return run_here(
        chosen,
        at_hand.client_at(address),
        at_hand.provider,
        at_hand.connected.probe,
        messages=messages,
        faulting=BrokerFaults(
            at_hand.broker if FaultKind.BROKER_RESTART in faults else None, proxy
        ),
        settings=at_hand.with_run_settings(settings or {}),
        has_jms_2=at_hand.jms.has_jms_2,
        stalled_after=_RECOVERED_WITHIN if faults else _STALLED_AFTER,
    )
