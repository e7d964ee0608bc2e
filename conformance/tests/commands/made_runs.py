"""Folders of runs, made up verdict by verdict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

EARLY, LATE = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"
WHOLE: Mapping[str, Any] = {"narrowed_by": [], "scenarios": ["headers/test_x"]}


def a_line(verdict: str = "CONFORMS", **more: Any) -> dict[str, Any]:
    """A line of verdicts.jsonl."""
    return {
        "format": 1, "scenario": "headers/test_x", "requirement": "SLJ-HDR-001",
        "provider": "mine", "verdict": verdict, "strength": "must",
        "reason": None if verdict == "CONFORMS" else f"because of {verdict} [red]",
        "duration": 0.1, "seed": 1, "rerun": "r", "started": EARLY, "area": "headers",
        "document": "SLJ", **more,
    }  # fmt: skip


def write_run(
    folder: Path,
    lines: Iterable[Mapping[str, Any]],
    *,
    provider: str = "mine",
    started: str = EARLY,
    **facts: Any,
) -> Path:
    """A run of one provider with these lines, whole unless `facts` say otherwise.

    With selection=None it does not say what it was asked for.
    """
    folder.mkdir(parents=True)
    run = {
        "format": 1, "id": folder.name, "started": started, "finished": started, "seed": 1,
        "touchstone": "0", "brokers": [{"family": "pulsar", "way": "embedded", "version": "4.0.7"}],
        "providers": [{"name": provider, "version": "9", "documents": ["SLJ"]}],
        "selection": WHOLE, **facts,
    }  # fmt: skip
    if run["selection"] is None:
        del run["selection"]
    (folder / "run.json").write_text(json.dumps(run))
    name = "verdicts.jsonl" if run["finished"] else "verdicts.jsonl.part"
    texts = [json.dumps({**line, "provider": provider}) for line in lines]
    (folder / name).write_text("".join(f"{text}\n" for text in texts))
    return folder
