"""A cut is made at frames that a proxy reads: a client whose frames it does not read is excused."""

from __future__ import annotations

from typing import Any

PROVIDER = """
from dataclasses import dataclass

from try_memory import Memory


@dataclass(frozen=True)
class Speaking(Memory):
    own_protocol: str = "Esperanto"


SPEAKING = Speaking()
"""
SCENARIO = """
    from touchstone.scenario.fixtures import at_work

    @requirement("TRY-ONE-001")
    def test_cut(request):
        at_work(request).cuts.now()
"""


def test_a_client_of_another_protocol_is_excused_from_cuts(catalogue: Any) -> None:
    (catalogue.pytester.path / "try_speaking.py").write_text(PROVIDER)

    judged = catalogue.scenarios(SCENARIO).judge("--provider", "python:try_speaking:SPEAKING")

    [line] = judged.lines
    assert (line["verdict"], line["reason"]) == (
        "NOT-APPLICABLE",
        "the client speaks Esperanto, of which no proxy reads the frames",
    )
