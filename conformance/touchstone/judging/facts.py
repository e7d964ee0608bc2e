"""What run.json says of a run: on what it is, and what its verdict lines come to."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from jms_brokers.machine.secrecy import hide_secrets
from touchstone.brokers.asked_for import broker_asked_for, java_used
from touchstone.judging.plan import RunPlan
from touchstone.judging.resuming import fingerprint
from touchstone.verdicts import Verdict, worst


def this_machine() -> dict[str, Any]:
    """What a run was judged on, as run.json has it: what it is, not what it is called."""
    return {
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "memory_mib": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
    }


def circumstances(plan: RunPlan) -> dict[str, Any]:
    """What is known before anything is collected: seed, harness, machine, client, broker."""
    provider, options = plan.provider, plan.options
    return {
        "format": 1,
        "seed": options.seed,
        "touchstone": version("jms-touchstone"),
        "python": platform.python_version(),
        "machine": this_machine(),
        "providers": [
            {
                "name": options.provider,
                "version": provider.version,
                "transport": provider.transport,
                "documents": sorted(provider.documents),
                "capabilities": sorted(provider.capabilities),
                "as_shipped": options.as_shipped,
                "settings": hide_secrets(plan.settings.added(provider)),
                "presets": hide_secrets(getattr(provider, "presets", {})),
                "java": plan.java,
            }
        ],
        "brokers": [broker_asked_for(options.broker)],
        "java": java_used(options.broker, [plan.java]),
        "not_applicable_documents": sorted(
            prefix
            for prefix in plan.library.documents
            if not plan.library.applies(prefix, provider.documents)
        ),
        "strict_should": options.strict_should,
        "allow_inconclusive": options.allow_inconclusive,
        "catalogue": {"fingerprint": fingerprint(plan.library, options.deviations)},
    }


def worst_by_requirement(
    lines: Iterable[Mapping[str, Any]],
) -> dict[str, dict[str, dict[str, str]]]:
    """The worst verdict among the lines by document, requirement and provider."""
    documents: dict[str, dict[str, dict[str, str]]] = {}
    for line in lines:
        row = documents.setdefault(line["document"], {}).setdefault(line["requirement"], {})
        name, verdict = line["provider"], Verdict(line["verdict"])
        row[name] = worst((verdict, Verdict(row.get(name, verdict.value)))).value
    return documents
