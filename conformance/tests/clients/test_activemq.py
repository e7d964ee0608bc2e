"""ActiveMQ Classic: what a new Java client takes, and the tutorial that walks through it."""

from __future__ import annotations

import re
from pathlib import Path

import jms_scenarios
from jms_clients import activemq
from jms_clients.registry import load_provider
from touchstone.catalogue.deviation_files import read_deviations
from touchstone.catalogue.registry import load_library
from touchstone.cli import main
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict

TUTORIAL = Path(__file__).parents[3] / "docs" / "new-java-client.md"
MODULE = Path(activemq.__file__)
DEVIATIONS = Path(jms_scenarios.__file__).parent / "deviations" / "activemq.toml"


def test_the_module_is_as_small_as_the_tutorial_says() -> None:
    lines = MODULE.read_text().splitlines()
    assert len(lines) <= 80
    assert f"{MODULE.name}`, {len(lines)} lines" in TUTORIAL.read_text()


def test_the_code_in_the_tutorial_is_the_modules() -> None:
    lines = {line.strip() for line in MODULE.read_text().splitlines()}
    blocks = re.findall(r"```python\n(.*?)```", TUTORIAL.read_text(), re.DOTALL)
    shown = [line.strip() for block in blocks for line in block.splitlines()]
    # Signatures are shown without their types, and what is left out as an ellipsis.
    shown = [line for line in shown if line not in ("", "…") and not line.startswith("def ")]
    assert len(blocks) == 2
    assert [line for line in shown if line not in lines] == []


def test_the_provider_says_what_applies_to_it() -> None:
    provider = load_provider("activemq@6.3.1")
    assert (provider.documents, provider.broker_family) == (frozenset(), "activemq")


def test_scenarios_of_the_core_judge_it_as_the_tutorial_shows(tmp_path: Path) -> None:
    status = main(
        ["run", "--provider", "activemq", "--results-dir", str(tmp_path),
         "--requirement", "JMS-ORD-001", "--requirement", "JMS-ORD-006"]
    )  # fmt: skip
    assert status == ExitStatus.NOTHING_UNEXPECTED

    [run] = tmp_path.iterdir()
    results = read(run)
    assert results.worst_by_requirement("activemq") == {
        "JMS-ORD-001": Verdict.CONFORMS,
        "JMS-ORD-005": Verdict.CONFORMS,
        "JMS-ORD-006": Verdict.DEVIATES,
    }
    told = [
        judgement.reason
        for judgement in results.judgements
        if judgement.requirement == "JMS-ORD-006"
    ]
    (text,) = re.findall(r"```toml\n(\[\[deviation.*?)```", TUTORIAL.read_text(), re.DOTALL)
    shown = tmp_path / DEVIATIONS.name
    shown.write_text(text)
    (entry,) = read_deviations(shown, load_library())
    assert told == [entry.message]
    assert entry in read_deviations(DEVIATIONS, load_library())
