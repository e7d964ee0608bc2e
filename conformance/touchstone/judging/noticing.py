"""Which scenarios noticed each wrong client when that was last kept: these are asked first.

Nothing but time depends on it: where they do not notice a wrong client any more, all others judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from touchstone.judging.proof import Proof
from touchstone.mutants.registry import all_mutants

FILE = Path(__file__).with_name("noticing.json")


def noticing_scenarios() -> Mapping[str, Sequence[str]]:
    """The ids of scenarios by the name of the wrong client that they noticed."""
    found: Mapping[str, Sequence[str]] = json.loads(FILE.read_text("utf-8"))
    return found


def keep(proofs: Iterable[Proof]) -> None:
    """Write down what noticed these wrong clients, one scenario for each id."""
    known = dict(noticing_scenarios())
    for proof in proofs:
        if not proof.problem:
            first = {one.requirement: one.scenario for one in reversed(proof.notices)}
            known[proof.mutant.name] = sorted({*first.values()})
    kept = {name: known[name] for name in sorted(known) if name in all_mutants()}
    FILE.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
