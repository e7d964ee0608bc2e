"""Scenarios that saw less than they promise: none of them may pass."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.thorough

ENDS = (
    "getattr(pytest, 'fail')('no')",
    "raise SystemExit(0)",
    "raise GeneratorExit",
    "raise BaseExceptionGroup('both', [SystemExit(0)])",
    "\n    with getattr(pytest, 'raises')(ValueError): pass",
)


@pytest.mark.parametrize("end", ENDS)
def test_a_scenario_that_ends_by_no_ordinary_exception_does_not_pass(
    catalogue: Any, end: str
) -> None:
    catalogue.scenarios(f"""
@requirement("TRY-ONE-001")
def test_one():
    assert [1] == [1]
    {end}
""")
    judged = catalogue.judge()
    assert judged.line["verdict"] == "INCONCLUSIVE", judged.output
    assert judged.exit_status == 2


def test_a_block_that_was_left_halfway_answers_nothing(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001", "TRY-ONE-002")
        def test_both():
            with judging("TRY-ONE-001"):
                assert [1] == [1]
                raise ValueError("odd")
        """)
    judged = catalogue.judge()
    assert judged.verdicts == {"TRY-ONE-001": "INCONCLUSIVE", "TRY-ONE-002": "INCONCLUSIVE"}


def test_a_block_that_hangs_answers_nothing(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001", "TRY-ONE-002")
        def test_both():
            with judging("TRY-ONE-002"):
                assert [1] == [1]
            with judging("TRY-ONE-001"):
                assert [1] == [1]
                threading.Event().wait()
        """)
    judged = catalogue.judge("--touchstone-timeout", "3")
    assert judged.verdicts == {"TRY-ONE-001": "INCONCLUSIVE", "TRY-ONE-002": "CONFORMS"}


def test_closing_that_fails_is_told_by_each_of_several_ids(catalogue: Any) -> None:
    catalogue.scenarios("""
        @pytest.fixture
        def odd():
            yield
            raise JMSException("no")

        @requirement("TRY-ONE-001", "TRY-ONE-002")
        def test_both(odd):
            with judging("TRY-ONE-001"):
                assert [1] == [1]
            with judging("TRY-ONE-002"):
                assert [1] == [2]
        """)
    judged = catalogue.judge()
    assert judged.verdicts == {"TRY-ONE-001": "INCONCLUSIVE", "TRY-ONE-002": "VIOLATES"}


def test_what_was_compared_for_one_id_is_not_told_of_another(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001", "TRY-ONE-002")
        def test_both():
            with judging("TRY-ONE-001"):
                assert [1] == [2]
            with judging("TRY-ONE-002"):
                eventually(lambda: 0, within=0.01)
        """)
    judged = catalogue.judge()
    assert judged.verdicts == {"TRY-ONE-001": "VIOLATES", "TRY-ONE-002": "VIOLATES"}
    seen = {line["requirement"]: line["seen"] for line in judged.lines}
    assert seen == {"TRY-ONE-001": "[1]", "TRY-ONE-002": None}


def test_what_a_fixture_waits_for_is_no_check(catalogue: Any) -> None:
    catalogue.scenarios("""
        @pytest.fixture
        def ready():
            eventually(lambda: 1)
            yield
            eventually(lambda: 1)

        @requirement("TRY-ONE-001")
        def test_one(ready):
            for message in []:
                assert message
        """)
    line = catalogue.judge().line
    assert (line["verdict"], line["reason"]) == ("INCONCLUSIVE", "nothing was checked")


@pytest.mark.parametrize(
    ("scenario", "given"),
    [
        ("async def test_one(): assert [1] == [2]", "coroutine"),
        ("def test_one(): eventually(lambda: 1); return [1] == [2]", "bool"),
        ("test_one = lambda: (eventually(lambda: 1) for _ in [1])", "generator"),
    ],
)
def test_what_a_scenario_gives_back_is_no_check(catalogue: Any, scenario: str, given: str) -> None:
    mark = 'pytestmark = requirement("TRY-ONE-001")'
    line = catalogue.scenarios(f"{mark}\n{scenario}").judge().line
    assert line["verdict"] == "INCONCLUSIVE"
    assert f"ones/test_one gave back a {given}" in line["reason"]


def test_a_client_that_fails_at_the_end_of_a_run_costs_no_verdict(catalogue: Any) -> None:
    judged = catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_opens(request):
            def fail():
                raise JMSException("cannot close")
            judge = request.config.pluginmanager.get_plugin("touchstone judge")
            judge._worker.close = fail
            assert [1] == [1]
        """).judge(subprocess=True)
    assert judged.verdicts == {"TRY-ONE-001": "CONFORMS"}
    assert judged.exit_status == 0
    assert "1 requirement" in judged.output


def test_a_control_message_that_fails_in_its_own_way_speaks_against_no_client(
    catalogue: Any,
) -> None:
    catalogue.scenarios("""
        from touchstone.scenario.judgement import current

        @pytest.fixture
        def odd_broker():
            def control():
                raise OSError("no route")
            current().control = control

        @requirement("TRY-ONE-001")
        def test_one(odd_broker):
            throw(JMSException("no"))
        """)
    line = catalogue.judge().line
    assert line["verdict"] == "INCONCLUSIVE"
    assert "the control message failed too: OSError: no route" in line["reason"]


KEEPS = """
from touchstone.scenario.judgement import current
from touchstone.scenario.waits import receive

class Silent:
    def receive(self, timeout=None):
        return None

@pytest.fixture
def keeps():
    current().withheld = lambda: "the broker keeps 1 message"

@requirement("TRY-ONE-001")
def test_waits(keeps):
    receive(Silent(), 0.01)

@requirement("TRY-ONE-002")
def test_counts(keeps):
    assert [] == ["message"]

@requirement("TRY-ONE-003")
def test_is_refused(keeps):
    throw(JMSException("no"))
"""


def test_what_the_broker_keeps_speaks_against_no_client_that_waits_for_it(catalogue: Any) -> None:
    judged = catalogue.scenarios(KEEPS).judge()
    assert judged.verdicts == {
        "TRY-ONE-001": "INCONCLUSIVE",
        "TRY-ONE-002": "INCONCLUSIVE",
        "TRY-ONE-003": "VIOLATES",
    }
    told = [line["reason"] for line in judged.lines if line["verdict"] == "INCONCLUSIVE"]
    assert ["the broker keeps 1 message" in reason for reason in told] == [True, True]


def test_an_object_that_cannot_be_shown_ends_no_run(catalogue: Any) -> None:
    catalogue.scenarios("""
        class Odd:
            def __repr__(self):
                raise JMSException("closed")

        @requirement("TRY-ONE-001")
        def test_one():
            assert Odd() == 1
        """)
    line = catalogue.judge().line
    assert (line["verdict"], line["expected"]) == ("VIOLATES", "1")
    assert "Odd object" in line["seen"]


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "worker"])
def test_a_choice_that_leaves_nothing_is_a_fault(catalogue: Any, workers: tuple[str, ...]) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_one():
            assert [1] == [1]
        """)
    judged = catalogue.judge("-k", "no_such_name", *workers, subprocess=bool(workers))
    assert judged.exit_status == 3
    assert "no scenario is left of those that were asked for" in judged.output
    assert judged.folder is None


def test_a_choice_of_other_tests_alone_is_their_own_success(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_one():
            assert [1] == [1]
        """)
    catalogue.pytester.makepyfile(test_mine="def test_mine(): assert [1] == [1]")
    judged = catalogue.judge("-k", "test_mine", "--pyargs", "try_scenarios", "test_mine.py")
    assert judged.exit_status == 0
    assert judged.folder is None


def test_results_that_cannot_be_written_are_a_fault_in_words(catalogue: Any) -> None:
    catalogue.scenarios("""
        @requirement("TRY-ONE-001")
        def test_one():
            assert [1] == [1]
        """)
    (catalogue.pytester.path / "file").write_text("no folder")
    judged = catalogue.judge("--results-dir", "file")
    assert judged.exit_status == 3
    assert "Results cannot be written to file: File exists" in judged.output
    assert "INTERNALERROR" not in judged.output
