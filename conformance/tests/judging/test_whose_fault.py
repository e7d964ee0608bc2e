"""Whose fault it is: the table of docs/reports.md, row by row, and the same seen through pytest."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from jms_clients.origins import Origin, origin_in
from touchstone.outcomes.failures import Failure, Phase, speaks_against_client

pytestmark = pytest.mark.thorough

REPORTS = Path(__file__).parents[3] / "docs/reports.md"
HEADING = "### Whose fault it is"
WORDS: dict[str, dict[str, Any]] = {
    "where": {each.value: each for each in Origin},
    "what": {each.value: each for each in Failure},
    "when": {"set-up": Phase.SETUP, "body": Phase.CALL, "closing": Phase.TEARDOWN},
    "broker": {"answers": True, "does not": False},
}


def _rows() -> list[tuple[tuple[Any, ...], bool]]:
    """Each case of the documented table with whether it speaks against the client."""
    table = REPORTS.read_text().partition(HEADING)[2].partition("|---|")[2].splitlines()
    rows = []
    for line in table[1 : table.index("")]:
        *cells, against = (cell.strip() for cell in line.strip("|").split("|"))
        values = [
            [*words.values()] if cell == "any" else [words[each] for each in cell.split(", ")]
            for cell, words in zip(cells, WORDS.values(), strict=True)
        ]
        rows += [(case, against == "yes") for case in product(*values)]
    return rows


ROWS = _rows()


@pytest.mark.parametrize(("case", "against"), ROWS, ids=lambda value: str(value))
def test_a_row_of_the_documented_table(case: tuple[Any, ...], against: bool) -> None:
    origin, failure, phase, answers = case
    assert speaks_against_client(origin, failure, phase, broker_answers=answers) is against


def test_the_table_has_every_case_once() -> None:
    cases = [case for case, _ in ROWS]
    assert sorted(map(str, cases)) == sorted(
        map(str, product(*(words.values() for words in WORDS.values())))
    )


@pytest.mark.parametrize(
    ("stack", "origin"),
    [
        ("json.decoder json my_client jms_clients.recorded try_scenarios.a", "client"),
        ("my_client.messages try_scenarios.test_ones touchstone.judging.hooks", "client"),
        ("wrong_clients.bodies pulsar_jms.messages touchstone.scenario.waits", "client"),
        ("org.vendor.Session java.lang.Thread", "client"),
        ("org.vendor.Message org.jpype.proxy.JPypeProxy org.vendor.Session", "client"),
        ("my_client jms_clients.remote_objects", "client"),
        ("jpype._jproxy jms_clients.java.objects my_client", "adapter"),
        ("jms_clients.recorded try_scenarios.test_ones", "adapter"),
        ("org.jpype.JPypeContext org.vendor.Session", "adapter"),
        ("jmsapi.conversions try_scenarios.test_ones touchstone.judging.hooks", "scenario"),
        ("try_scenarios.test_ones jms_clients.recorded my_client", "scenario"),
        ("touchstone.scenario.checks.delivery try_scenarios.test_ones", "scenario"),
        ("httpx jms_brokers.families.pulsar.rest try_scenarios.test_ones", "harness"),
        ("jvm_runtime.fetch my_client jms_clients.recorded", "harness"),
        ("threading", "harness"),
    ],
)
def test_the_innermost_package_that_is_somebodys_own_decides(stack: str, origin: str) -> None:
    assert origin_in(stack.split(), ("try_scenarios",)) == origin


CASES = (
    ("throw(JMSException('no'))", "VIOLATES", "JMSException: no"),
    ("throw(AttributeError('no'))", "VIOLATES", "AttributeError: no"),
    ("fail_its_own_assertion()", "VIOLATES", "bug"),
    ("hang()", "VIOLATES", "hang() of the client does not return"),
    ("call(lambda: throw_here(JMSException('no')))", "VIOLATES", "JMSException: no"),
    ("call(lambda: throw_here(ValueError('no')))", "INCONCLUSIVE", "ValueError: no"),
    (
        "throw(marked('class path'))",
        "INCONCLUSIVE",
        "JMSException: no\n  hint: Its jars do not fit each other",
    ),
    ("throw(marked('adapter'))", "INCONCLUSIVE", "JMSException: no"),
    ("raise marked('client')", "VIOLATES", "JMSException: no"),
    ("raise JMSException('no')", "INCONCLUSIVE", "JMSException: no"),
    ("raise ValueError('odd')", "INCONCLUSIVE", "ValueError: odd"),
    ("throw(HarnessError('no'))", "INCONCLUSIVE", "no"),
    ("threading.Event().wait()", "INCONCLUSIVE", "did not come back within 2 s"),
)
BODY = """
from touchstone.errors import HarnessError
from jms_clients.origins import Origin, mark

def throw_here(error):
    raise error

def marked(origin):
    error = JMSException("no")
    mark(error, Origin(origin))
    return error

@requirement("TRY-ONE-001")
def test_one(working_broker):
    {body}
"""
CLOSING = """
from touchstone.errors import HarnessError

@pytest.fixture
def closing(working_broker):
    yield
    {body}

@requirement("TRY-ONE-001")
def test_one(closing):
    assert True
"""


@pytest.mark.parametrize(("body", "verdict", "reason"), CASES)
def test_in_a_body_it_is_who_did_it(catalogue: Any, body: str, verdict: str, reason: str) -> None:
    line = catalogue.scenarios(BODY.format(body=body)).judge("--touchstone-timeout", "2").line
    assert (line["verdict"], reason in line["reason"]) == (verdict, True)


@pytest.mark.parametrize("body", ["throw(JMSException('no'))", "throw(AttributeError('no'))"])
def test_behind_a_body_an_exception_answers_nothing(catalogue: Any, body: str) -> None:
    line = catalogue.scenarios(CLOSING.format(body=body)).judge().line
    assert (line["verdict"], "teardown failed" in line["reason"]) == ("INCONCLUSIVE", True)


@pytest.mark.parametrize("body", ["throw(AttributeError('no'))", "hang()"])
def test_nobody_is_accused_while_the_broker_does_not_answer(catalogue: Any, body: str) -> None:
    text = BODY.replace("working", "broken").format(body=body)
    line = catalogue.scenarios(text).judge("--touchstone-timeout", "2").line
    assert (line["verdict"], "the broker is gone" in line["reason"]) == ("INCONCLUSIVE", True)


SWALLOWED = """
from touchstone.api import UnderTest
from jms_clients.errors import NotInThisVersion, ProviderError
from jms_clients.recorded import RecordedObject
from jms_clients.trace import Trace
from touchstone.scenario.judgement import current

class Consumer:
    message_listener = None

@requirement("TRY-ONE-001")
def test_one(working_broker):
    trace = Trace()
    current().not_the_clients = trace.not_the_clients
    consumer = RecordedObject(Consumer(), trace, "consumer", {{}})
    seen = []

    def listener(message):
        try:
            {helper}
        except Exception as error:
            seen.append(type(error).__name__)
            raise
        seen.append("done")

    consumer.message_listener = listener
    try:
        consumer._target.message_listener("a message")
    except Exception:
        pass  # as a client does
    assert seen == ["done"]
"""


@pytest.mark.parametrize(
    ("helper", "verdict", "reason"),
    [
        ("pass", "CONFORMS", ""),
        ("throw(JMSException('no'))", "VIOLATES", "assert ['JMSException'] == ['done']"),
        ("consumer.no_such_method()", "INCONCLUSIVE", "no attribute 'no_such_method'"),
    ],
)
def test_what_an_adapter_cannot_do_is_no_fault_although_a_listener_swallows_it(
    catalogue: Any, helper: str, verdict: str, reason: str
) -> None:
    line = catalogue.scenarios(SWALLOWED.format(helper=helper)).judge().line
    assert (line["verdict"], reason in (line["reason"] or "")) == (verdict, True)


def test_a_client_that_waits_for_a_listener_of_the_scenario_is_not_accused(catalogue: Any) -> None:
    line = (
        catalogue.scenarios("""
        from jms_clients.recorded import RecordedObject
        from jms_clients.trace import Trace

        class Consumer:
            message_listener = None

        @requirement("TRY-ONE-001")
        def test_one(working_broker):
            consumer = RecordedObject(Consumer(), Trace(), "consumer", {})
            consumer.message_listener = lambda message: threading.Event().wait()
            called = threading.Thread(
                target=lambda: consumer._target.message_listener("a message"), daemon=True
            )
            called.start()
            hang()
        """)
        .judge("--touchstone-timeout", "2")
        .line
    )
    assert (line["verdict"], "of the client" in line["reason"]) == ("INCONCLUSIVE", False)
