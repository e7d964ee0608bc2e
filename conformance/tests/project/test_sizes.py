"""Modules and rooms stay of a size that can be overlooked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HOUSE = ("bench", "conformance", "containers", "docs", "fuzz", "impl", "reports", "scenarios")
PACKAGES = (
    "conformance/jms_histories",
    "conformance/touchstone",
    "impl/jmsapi",
    "impl/jvm_runtime",
    "impl/pulsar_jms",
    "reports/touchstone_reports",
)


@pytest.mark.parametrize("part", HOUSE)
def test_no_module_is_over_400_lines(part: str) -> None:
    sizes = {path: path.read_bytes().count(b"\n") for path in (ROOT / part).rglob("*.py")}
    assert sizes
    assert {str(path.relative_to(ROOT)): n for path, n in sizes.items() if n > 400} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_room_has_more_than_25_modules(package: str) -> None:
    rooms = Counter(path.parent for path in (ROOT / package).rglob("*.py"))
    assert rooms
    assert {str(room.relative_to(ROOT)): n for room, n in rooms.items() if n > 25} == {}
