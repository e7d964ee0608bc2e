"""What a history holds, from its manifest, footers and small tables alone."""

from __future__ import annotations

from typing import Any

from jms_histories.columns import length
from jms_histories.history.reader import History
from jms_histories.history.schema import TABLES
from jms_histories.values import Event


def summary(history: History) -> dict[str, Any]:
    """Facts by name, for JSON: see listings.schema.json."""
    manifest, spec = history.manifest, history.spec
    subscriptions, events = spec.subscriptions, spec.events
    kinds = events["event"]
    return {
        "run": manifest.run,
        "rows": {table: history.rows(table) for table in TABLES},
        "files": len(manifest.files),
        "layout": dict(manifest.layout),
        "buckets": manifest.buckets,
        "subscriptions": length(subscriptions),
        "drained": int((subscriptions["t_drained"] >= 0).sum()),
        "consumers": len(manifest.consumers),
        "faults": int((kinds == Event.FAULT_BEGIN).sum()),
        "killed_sessions": int((kinds == Event.KILLED).sum()),
        "truncated": {str(producer): cut for producer, cut in manifest.truncated.items()},
        "checks": list(manifest.checks),
        "epsilon": manifest.epsilon,
        "settings": dict(manifest.settings),
    }
