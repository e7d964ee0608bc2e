"""Each skeleton works as `touchstone init` writes it: installed, judged, and its own tests pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commands.throwaway import Throwaway

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("kind", ["catalogue", "provider", "broker"])
def test_a_skeleton_passes_at_once(kind: str, tmp_path: Path) -> None:
    machine = Throwaway(tmp_path)
    said = machine.do(f"touchstone init {kind} acme-jms")
    install, judge, own_tests = re.findall(r"(?m)^  (.+)$", said)

    machine.do(install)
    if "=URL" not in judge:  # of a broker that its own tests start
        assert "conform" in machine.do(judge)
    machine.do(own_tests)
