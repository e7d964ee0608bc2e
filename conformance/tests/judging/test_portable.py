"""Scenarios that also run on clients whose document is silent."""

from __future__ import annotations

from typing import Any

import pytest

from jms_clients.mutants.registry import all_mutants

pytestmark = pytest.mark.thorough

PORTABLE = """
@portable
@requirement("OTH-ONE-001")
def test_elsewhere():
    observe("answer", 42)
    assert {condition}
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
@pytest.mark.parametrize(
    ("condition", "holds", "told"),
    [("1 == 1", "yes", "its statement holds"), ("1 == 2", "no", "does not hold: assert 1 == 2")],
)
def test_a_portable_scenario_is_seen_where_its_document_is_silent(
    catalogue: Any, condition: str, holds: str, told: str, workers: tuple[str, ...]
) -> None:
    judged = catalogue.scenarios(PORTABLE.format(condition=condition)).judge(
        *workers, subprocess=bool(workers)
    )
    line = judged.line
    assert line["verdict"] == "NOT-APPLICABLE"
    assert line["reason"].startswith("The other document does not speak of memory; run for")
    assert told in line["reason"]
    assert line["observables"] == {"answer": 42, "OTH-ONE-001 holds": holds}
    assert judged.exit_status == 2


def test_a_portable_scenario_that_is_judged_says_whether_it_holds(catalogue: Any) -> None:
    judged = catalogue.scenarios("""
        @portable
        @requirement("TRY-ONE-001", "TRY-ONE-002")
        def test_here():
            with judging("TRY-ONE-001"):
                assert 1 == 1
            with judging("TRY-ONE-002"):
                assert 1 == 2
        """).judge()
    assert {line["requirement"]: line["observables"] for line in judged.lines} == {
        "TRY-ONE-001": {"TRY-ONE-001 holds": "yes"},
        "TRY-ONE-002": {"TRY-ONE-002 holds": "no"},
    }


@pytest.mark.parametrize(
    ("mark", "ran"),
    [
        ("@portable", True),
        ('@portable("pulsar")', True),
        ('@portable("rabbitmq", "artemis")', False),
        ('@portable\n@needs("correlation-id-bytes")', False),
        ("", False),
    ],
)
def test_it_runs_on_its_families_and_where_its_needs_are_met(
    catalogue: Any, mark: str, ran: bool
) -> None:
    judged = catalogue.scenarios(f"""
{mark}
@requirement("OTH-ONE-001")
def test_elsewhere():
    observe("ran", True)
    assert 1
""").judge()
    assert judged.line["verdict"] == "NOT-APPLICABLE"
    assert judged.line["observables"].get("ran", False) is ran
    assert judged.exit_status == 2


def test_what_goes_wrong_there_does_not_fail_the_run(catalogue: Any) -> None:
    judged = catalogue.scenarios("""
        @portable
        @requirement("OTH-ONE-001")
        def test_dies():
            os._exit(9)

        @portable
        @requirement("OTH-ONE-001")
        def test_breaks():
            raise KeyError("the harness")

        @requirement("TRY-ONE-001")
        def test_lives():
            assert 1
        """).judge("-n", "1", subprocess=True)
    verdicts = {line["scenario"]: line["verdict"] for line in judged.lines}
    assert verdicts == {
        "ones/test_dies": "NOT-APPLICABLE",
        "ones/test_breaks": "NOT-APPLICABLE",
        "ones/test_lives": "CONFORMS",
    }
    assert all("nothing could be seen" in line["reason"] for line in judged.lines if line["reason"])
    assert judged.exit_status == 0


def test_a_wrong_client_is_judged_only(catalogue: Any) -> None:
    catalogue.scenarios(PORTABLE.format(condition="1"))
    judged = catalogue.judge("--provider", f"memory+mutant:{next(iter(all_mutants()))}")
    assert judged.line["observables"] == {}


@pytest.mark.parametrize(
    ("text", "complaint", "advice"),
    [
        (
            '@portable\n@requirement("TRY-ONE-001")\ndef test_a(wire): assert 1',
            "it uses wire",
            '@portable("pulsar")',
        ),
        (
            '@portable\n@broker("auth")\n@requirement("TRY-ONE-001")\ndef test_a(): assert 1',
            "it names a profile",
            '@portable("FAMILY")',
        ),
    ],
)
def test_what_one_family_has_is_not_for_every_broker(
    catalogue: Any, text: str, complaint: str, advice: str
) -> None:
    fixtures = catalogue.package / "conftest.py"
    fixtures.write_text(fixtures.read_text() + "\n@pytest.fixture\ndef wire():\n    return None\n")
    judged = catalogue.scenarios(text).judge()
    assert complaint in judged.output
    assert advice in judged.output
    assert judged.exit_status == 3
