"""Which scenarios noticed each wrong client when that was last kept: these are asked first.

Nothing but time depends on it: where they do not notice a wrong client any more, all others judge.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from touchstone.mutants.registry import all_mutants

FILE = Path(__file__).with_name("noticing.json")


def noticing_scenarios() -> Mapping[str, Sequence[str]]:
    """The ids of scenarios by the name of the wrong client that they noticed."""
    found: Mapping[str, Sequence[str]] = json.loads(FILE.read_text("utf-8"))
    return found


def keep(noticing: Mapping[str, Sequence[str]]) -> None:
    """Write down what noticed these wrong clients now; what is known of others stays."""
    known = {**noticing_scenarios(), **noticing}
    lines = [
        f"{json.dumps(name)}: {json.dumps(known[name])}"
        for name in sorted(known)
        if name in all_mutants()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
