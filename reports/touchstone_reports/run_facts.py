"""The facts of a run as pages tell them: broker, Java, machine, settings, times."""

from __future__ import annotations

import json
from collections.abc import Mapping

from touchstone_reports.results import Run, RunProvider
from touchstone_reports.templating import moment


def run_facts(run: Run) -> dict[str, str]:
    """What pages say about one run, by name; nothing of what is not known."""
    brokers = dict.fromkeys(
        " ".join(filter(None, (broker.family, broker.version, f"({broker.way})")))
        for broker in run.brokers
    )
    machine = (
        run.machine.get("platform"),
        label("", run.machine.get("cpus"), " CPUs"),
        label("", run.machine.get("memory_mib"), " MiB"),
    )
    facts = {
        "Run": run.id,
        "Broker": ", ".join(brokers),
        "Java": run.java,
        "Started": moment(run.started),
        "Took": duration(run.seconds) if run.seconds is not None else "not finished",
        "Settings": "; ".join(filter(None, map(_given, run.providers))),
        "Seed": str(run.seed),
        "Touchstone": " · ".join(filter(None, (run.touchstone, label("Python", run.python)))),
        "Machine": ", ".join(str(part) for part in machine if part),
    }
    return {name: value for name, value in facts.items() if value}


def _given(provider: RunProvider) -> str:
    """What a client of a run was given besides the address and the login."""
    told = settings_text(provider.settings)
    return ", ".join(filter(None, ("as shipped" * provider.as_shipped, told)))


def settings_text(settings: Mapping[str, object]) -> str:
    """Settings as they are typed."""
    return ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in settings.items()
    )


def duration(seconds: float) -> str:
    """A duration for people."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:.0f} min {rest:.0f} s" if minutes else f"{rest:.1f} s"


def label(before: str, value: object, after: str = "") -> str:
    """A value with words around it; empty where there is none."""
    return f"{before} {value}{after}".strip() if value else ""
