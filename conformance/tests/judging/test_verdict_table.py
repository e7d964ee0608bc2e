"""Every row of the table of verdicts, seen through pytest."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.thorough

CONFORMS = """
@requirement("TRY-ONE-001")
def test_one():
    "One thing is seen."
    assert 1 + 1 == 2
"""
VIOLATES = """
@requirement("TRY-ONE-001")
def test_one():
    "One thing is seen."
    assert "seen" == "expected"
"""


def test_a_check_that_held_conforms(catalogue: Any) -> None:
    judged = catalogue.scenarios(CONFORMS).judge()
    assert judged.line["verdict"] == "CONFORMS"
    assert judged.line["scenario"] == "ones/test_one"
    assert judged.exit_status == 0
    assert judged.run["counts"] == {"CONFORMS": 1}
    assert judged.run["requirements"] == {"TRY": {"TRY-ONE-001": {"memory": "CONFORMS"}}}
    assert (judged.folder / "verdicts.jsonl").exists()
    assert (judged.folder / "report.html").exists()


def test_what_is_compared_is_shown_as_it_is_written_however_long(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_one():
            assert ["größe " * 20] == []
        """)
    line = catalogue.judge().line
    written = "['" + "größe " * 20 + "']"
    assert (line["reason"], line["seen"]) == (f"assert {written} == []", written)


def test_a_failed_assertion_violates_and_is_explained(catalogue: Any) -> None:
    judged = catalogue.scenarios(VIOLATES).judge("--touchstone-seed", "7")
    line = judged.line
    assert (line["verdict"], line["expected"], line["seen"]) == ("VIOLATES", "'expected'", "'seen'")
    assert judged.exit_status == 1
    for part in (
        "VIOLATES TRY-ONE-001: One thing holds.",
        "The text that is tried, One",
        "expected: 'expected'",
        "seen:     'seen'",
        "touchstone run --provider memory --scenario ones/test_one --touchstone-seed 7",
    ):
        assert part in judged.output
    assert (judged.folder / line["evidence"]).read_text().count("assert")


TABLE = (
    ("pass", "INCONCLUSIVE", "nothing was checked"),
    ("throw(JMSException('refused'))", "VIOLATES", "JMSException: refused"),
    ("import json; json.loads('{')", "INCONCLUSIVE", "JSONDecodeError"),
    ("getattr(pytest, 'skip')('no')", "INCONCLUSIVE", "pytest.skip"),
    ("getattr(pytest, 'xfail')('no')", "INCONCLUSIVE", "pytest.xfail"),
    ("receive(silent, within=0.01)", "VIOLATES", "while the control message"),
    ("receive_all(silent, 2, within=0.01)", "VIOLATES", "0 of 2 messages came"),
    ("eventually(lambda: 0, within=0.01)", "VIOLATES", "the last value was 0"),
    ("with refuses(JMSException): pass", "VIOLATES", "not refused"),
    ("not_applicable('no such thing here')", "NOT-APPLICABLE", "no such thing here"),
    ("assert checks.exactly_once([1], []) == []", "VIOLATES", "1 was sent and never received"),
    ("nothing_before(silent, int, bool, within=0.01)", "VIOLATES", "the marker did not come"),
    ("silent.messages = [0, 1]; nothing_before(silent, int, bool)", "VIOLATES", "1 messages came"),
    ("with refuses(JMSException): raise JMSException('x')", "CONFORMS", None),
    ("eventually(lambda: 1)", "CONFORMS", None),
    ("silent.messages = ['m']; receive(silent)", "CONFORMS", None),
    ("silent.messages = ['m', 'n']; receive_all(silent, 2)", "CONFORMS", None),
    ("silent.messages = ['m']; nothing_before(silent, int, bool)", "CONFORMS", None),
)
SCENARIO = """
@requirement("TRY-ONE-001")
def test_{number}(silent, working_broker):
    {body}
"""


def test_every_row_of_the_table(catalogue: Any) -> None:
    text = "".join(SCENARIO.format(number=n, body=row[0]) for n, row in enumerate(TABLE))
    judged = catalogue.scenarios(text).judge()
    lines = {line["scenario"]: line for line in judged.lines}
    for number, (body, verdict, reason) in enumerate(TABLE):
        line = lines[f"ones/test_{number}"]
        assert line["verdict"] == verdict, body
        assert (reason or "") in (line["reason"] or ""), body
        assert (line["reason"] is None) == (verdict == "CONFORMS"), body
    assert judged.exit_status == 1


@pytest.mark.parametrize(
    "body",
    [
        "receive(silent, within=0.01)",
        "throw(JMSException('refused'))",
        "assert 'seen' == 'expected'",
    ],
)
def test_a_broken_broker_is_not_the_clients_fault(catalogue: Any, body: str) -> None:
    catalogue.scenarios(f"""
        @requirement("TRY-ONE-001")
        def test_one(silent, broken_broker):
            {body}
        """)
    line = catalogue.judge().line
    assert line["verdict"] == "INCONCLUSIVE"
    assert "the broker is gone" in line["reason"]


@pytest.mark.parametrize("phase", ["setup", "teardown"])
def test_failing_around_a_scenario_is_inconclusive(catalogue: Any, phase: str) -> None:
    catalogue.scenarios(f"""
        @pytest.fixture
        def odd():
            if "{phase}" == "setup": raise JMSException("no")
            yield
            raise JMSException("no")

        @requirement("TRY-ONE-001")
        def test_one(odd):
            assert True
        """)
    judged = catalogue.judge()
    assert judged.line["verdict"] == "INCONCLUSIVE"
    assert f"{phase} failed" in judged.line["reason"]
    assert judged.exit_status == 2


def test_a_broker_that_cannot_be_had_is_told_in_words_and_traced_in_the_evidence(
    catalogue: Any,
) -> None:
    catalogue.scenarios("""
        from jms_brokers.errors import BrokerError

        @pytest.fixture
        def broker_at_hand():
            raise BrokerError("no engine answers", hint="Start one")

        @requirement("TRY-ONE-001")
        def test_one(broker_at_hand):
            assert True
        """)
    judged = catalogue.judge()
    assert judged.line["verdict"] == "INCONCLUSIVE"
    assert judged.output.count("setup failed: no engine answers") == 2  # there, and in the summary
    assert "hint: Start one" in judged.output
    assert "def broker_at_hand" not in judged.output
    assert "def broker_at_hand" in (judged.folder / judged.line["evidence"]).read_text()


def test_a_hanging_scenario_is_inconclusive_with_its_threads(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_one():
            threading.Event().wait()

        @requirement("TRY-ONE-002")
        def test_two():
            assert True
        """)
    judged = catalogue.judge("--touchstone-timeout", "3")
    assert judged.verdicts == {"TRY-ONE-001": "INCONCLUSIVE", "TRY-ONE-002": "CONFORMS"}
    line = next(line for line in judged.lines if line["verdict"] == "INCONCLUSIVE")
    assert "did not come back within 3 s" in line["reason"]
    assert "threading.Event().wait()" in (judged.folder / line["evidence"]).read_text()


def test_judging_tells_which_check_answers_which_id(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001", "TRY-ONE-002", "TRY-ONE-003")
        def test_all():
            with judging("TRY-ONE-001"):
                assert 1 == 2
            with judging("TRY-ONE-002"):
                assert 2 == 2
            observe("colour", "red")
        """)
    judged = catalogue.judge()
    assert judged.verdicts == {
        "TRY-ONE-001": "VIOLATES",
        "TRY-ONE-002": "CONFORMS",
        "TRY-ONE-003": "INCONCLUSIVE",
    }
    assert judged.lines[0]["observables"] == {"colour": "red"}


def test_judging_an_id_not_declared_is_inconclusive(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_one():
            with judging("TRY-ONE-002"):
                assert True
        """)
    assert "without declaring it" in catalogue.judge().line["reason"]


def test_an_unmet_should_fails_only_when_strict(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-003")
        def test_should():
            assert 1 == 2
        """)
    relaxed, strict = catalogue.judge(), catalogue.judge("--strict-should")
    assert (relaxed.line["verdict"], relaxed.exit_status) == ("VIOLATES", 0)
    assert "VIOLATES (should) TRY-ONE-003" in relaxed.output
    assert strict.exit_status == 1


def test_inconclusive_may_be_allowed_for_a_reason(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_one():
            pass

        @requirement("TRY-ONE-002")
        def test_two():
            assert 1
        """)
    allowed = catalogue.judge("--allow-inconclusive", "the broker is rebuilt")
    assert allowed.exit_status == 0
    assert "the broker is rebuilt" in allowed.output
    assert catalogue.judge("--allow-inconclusive", " ").exit_status == 3


def test_other_documents_are_not_applicable(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("OTH-ONE-001")
        def test_other():
            raise RuntimeError("not to be run")
        """)
    judged = catalogue.judge()
    assert judged.line["verdict"] == "NOT-APPLICABLE"
    assert judged.line["reason"] == "The other document does not speak of memory"
    assert judged.run["not_applicable_documents"] == ["AMQ", "OTH", "RMQ", "SLJ"]


def test_a_lacking_capability_is_not_applicable(catalogue: Any) -> None:
    catalogue.scenarios("""
        @needs("user-id")
        @requirement("TRY-ONE-001")
        def test_one():
            raise RuntimeError("not to be run")
        """)
    assert catalogue.judge().line["reason"] == "memory does not offer user-id"


def test_a_requirement_takes_the_worst_of_its_scenarios(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        @pytest.mark.parametrize("value", [1, 2])
        def test_one(value):
            assert value == 1
        """)
    judged = catalogue.judge()
    assert judged.run["requirements"]["TRY"]["TRY-ONE-001"] == {"memory": "VIOLATES"}
    assert {line["scenario"] for line in judged.lines} == {
        "ones/test_one[1]",
        "ones/test_one[2]",
    }


def test_large_comparisons_are_judged_in_ci_too(
    catalogue: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In CI pytest would compare 3000 lines that all differ, for longer than the watchdog waits."""
    monkeypatch.setenv("CI", "true")
    catalogue.scenarios("""
        from jmsapi import Int

        @requirement("TRY-ONE-001")
        def test_equal():
            assert [Int(number) for number in range(3000)] == list(range(3000))

        @requirement("TRY-ONE-002")
        def test_unequal():
            assert [Int(number) for number in range(3000)] == list(range(2999))
        """)
    judged = catalogue.judge("--touchstone-timeout", "20")
    lines = {line["requirement"]: line for line in judged.lines}
    assert lines["TRY-ONE-001"]["verdict"] == "CONFORMS"
    assert lines["TRY-ONE-002"]["verdict"] == "VIOLATES"
    assert "At index 2999: Int(2999) == nothing" in judged.output
