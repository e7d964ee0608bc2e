"""Programs of plain JMS for what drawn programs have shown: each alone, judged by its own call."""

from __future__ import annotations

from pathlib import Path

import pytest

from drawn.sessions_in_memory import CLIENTS, Call, InMemory
from jms_clients.calls import Calls
from jmsapi.errors import JMSException, ResourceAllocationException
from reproducing.traces_by_hand import (
    CONSUMER,
    LISTENER,
    SESSION,
    Trace,
    compiles,
    falls_silent,
    made,
    trace_by_hand,
)
from touchstone.drawn import driving
from touchstone.drawn.judging import write_down
from touchstone.drawn.sessions.driving import SessionDriver
from touchstone.drawn.sessions.program import Program, Step
from touchstone.reproducing.deciding import decision
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.plan import section_plan
from touchstone.reproducing.recording import NotExpressible, java_events, recording
from touchstone.reproducing.section import section_calls, sections


@pytest.fixture
def trace() -> Trace:
    """One that has a finding of another statement first."""
    events = trace_by_hand()
    events.finding("JMS-OTHER-001")
    events.step("s0.rollback()")
    events.call("Session", SESSION, "rollback", throws=["jakarta.jms.JMSException"])
    events.shown("s0.rollback()", "JMSException")
    events.call("Session", SESSION, "close")
    events.finding("JMS-THIS-001")
    return events


def program(trace: Trace, id_: str = "JMS-THIS-001") -> str:
    """The program for the finding of a statement."""
    [section] = [each for each in sections(java_events(trace.lines)) if id_ in each.ids]
    part = section_calls(recording(trace.lines, id_), section)
    made_plan = section_plan(part, section, decision(section, part))
    return JavaProgram(made_plan, "jakarta.jms", ["What it shows."]).text


def main_of(text: str) -> list[str]:
    """The statements of the main thread, from the session on."""
    lines = [line.strip() for line in text.split("try {", 2)[2].split("} catch", 1)[0].split("\n")]
    return [line for line in lines if line][2:]


def test_the_program_has_the_steps_of_its_finding_alone(trace: Trace, tmp_path: Path) -> None:
    trace.step("s0.recover()")
    trace.call("Session", SESSION, "recover", throws=["jakarta.jms.JMSException"])
    trace.shown("s0.recover()", "JMSException")
    trace.call("Session", SESSION, "close")
    text = program(trace)
    assert main_of(text) == [
        "// s0.recover(); permitted: nothing else",
        "// Here it shows:",
        'throwsIt("session1.recover()", () -> session1.recover(), "jakarta.jms.JMSException");',
    ]
    assert "rollback" in program(trace, "JMS-OTHER-001")
    compiles(text, tmp_path)


def test_sections_stand_behind_the_part_of_the_scenario_that_failed() -> None:
    trace = trace_by_hand()
    trace.failed("JMS-THIS-001")
    trace.finding("JMS-THIS-001")
    trace.step("s0.recover()")
    trace.call("Session", SESSION, "recover", throws=["jakarta.jms.JMSException"])
    trace.shown("s0.recover()", "JMSException")
    assert 'throwsIt("session1.recover()"' in program(trace)


def test_a_listener_of_a_program_before_is_no_part_of_the_section(trace: Trace) -> None:
    trace.consumer()
    trace.listens()
    trace.shown("k0.listen()", "JMSException")
    trace.finding("JMS-LATER-001")
    trace.step("s0.recover()")
    trace.hears(300, 1)
    trace.step("s0.recover()")
    trace.call("Session", SESSION, "recover", throws=["jakarta.jms.JMSException"])
    trace.shown("s0.recover()", "JMSException")
    text = program(trace, "JMS-LATER-001")
    assert 'throwsIt("session1.recover()"' in text
    assert "onMessage" not in text


def test_what_had_to_be_refused_and_came_back_is_seen_if_it_comes_back(
    trace: Trace, tmp_path: Path
) -> None:
    trace.step("s0.recover()")
    trace.call("Session", SESSION, "recover")
    trace.shown("s0.recover()", nothing=True)
    text = program(trace)
    assert main_of(text)[-1] == 'comesBack("session1.recover()", () -> session1.recover());'
    compiles(text, tmp_path)


def test_all_that_came_before_has_to_come_again(trace: Trace, tmp_path: Path) -> None:
    trace.consumer()
    trace.sends(1)
    trace.sends(2)
    for number, message in ((2, 12), (1, 13 + 100)):
        trace.step(f"m{number} = k0.receive()")
        receive = {"long": "9000"}
        trace.call("MessageConsumer", CONSUMER, "receive", receive, gives=made(message))
        trace.reads_number(message, number)
    trace.shown("m1 = k0.receive()")
    text = program(trace)
    assert [line for line in main_of(text) if line.startswith("gives")] == [
        'gives("message3.getIntProperty(\'number\')", () -> message3.getIntProperty("number"), 2);',
        'gives("message4.getIntProperty(\'number\')", () -> message4.getIntProperty("number"), 1);',
    ]
    compiles(text, tmp_path)


def test_a_receive_that_gave_nothing_has_ten_seconds_and_no_second_try(trace: Trace) -> None:
    trace.consumer()
    trace.step("m0 = k0.receive()")
    for wait in ("1000", "4000"):
        trace.call("MessageConsumer", CONSUMER, "receive", {"long": wait})
    trace.shown("m0 = k0.receive()", nothing=True)
    assert [line for line in main_of(program(trace)) if "receive" in line][1:] == [
        'gives("consumer1.receive(10000L)", () -> consumer1.receive(10000L), null);'
    ]


def test_a_listener_that_is_not_called_has_to_stay_silent(trace: Trace, tmp_path: Path) -> None:
    falls_silent(trace)
    text = program(trace)
    assert main_of(text)[-1] == "silent(1, onMessage1);"
    assert "gives(\"message3.getIntProperty('number')\"" in text.split("listener1 = new")[1]
    compiles(text, tmp_path)


def test_threads_make_their_calls_in_the_order_in_which_they_did(
    trace: Trace, tmp_path: Path
) -> None:
    trace.consumer()
    trace.listens()
    trace.note(
        {"java": "callback", "number": LISTENER, "method": "onMessage", "given": [made(300)]}, 2
    )
    trace.sends(1)
    trace.step("m0 = s0.hear()")
    trace.reads_number(300, 7, thread=2)
    trace.shown("m0 = s0.hear()")
    trace.note({"java": "returned", "number": LISTENER}, thread=2)
    text = program(trace)
    lines = [line.strip() for line in text.split("\n")]
    [sent] = [n for n, line in enumerate(lines) if line.endswith(".send(message1);")]
    assert lines[sent + 1].startswith("passOn(")
    [read] = [n for n, line in enumerate(lines) if line.startswith('gives("')]
    assert lines[read - 1] == lines[sent + 1].replace("passOn", "await")
    assert lines[sent + 2] == lines[read + 1].replace("passOn", "await")
    compiles(text, tmp_path)


def test_calls_of_a_listener_overlap_if_the_second_begins_before_the_first_ends(
    trace: Trace, tmp_path: Path
) -> None:
    trace.consumer()
    trace.listens()
    callback = {"java": "callback", "number": LISTENER, "method": "onMessage"}
    trace.note(callback | {"given": [made(300)]}, thread=2)
    trace.step("m0 = s0.hear()")
    trace.reads_number(300, 1, thread=2)
    trace.note(callback | {"given": [made(301)]}, thread=3)
    trace.step("m0.returns()")
    trace.note({"java": "returned", "number": LISTENER}, thread=2)
    trace.shown("m0.returns()")
    text = program(trace)
    first = text.split("case 1:")[1].split("break;")[0]
    assert first.strip().endswith("onMessage1.awaitBegun(2);")
    compiles(text, tmp_path)


def test_what_gives_another_value_in_each_run_decides_nothing(trace: Trace) -> None:
    trace.step("m0.jms_timestamp")
    trace.call("Session", SESSION, "createMessage", gives=made(12))
    trace.call("Message", 12, "getJMSTimestamp", gives={"long": "1795000000000"})
    trace.shown("m0.jms_timestamp")
    with pytest.raises(NotExpressible, match="another value in each run"):
        program(trace)


def test_but_an_id_decides_that_another_message_had_before(trace: Trace, tmp_path: Path) -> None:
    for number, step in ((12, "m0.jms_message_id"), (13, "m1.jms_message_id")):
        trace.step(step)
        trace.call("Session", SESSION, "createMessage", gives=made(number))
        trace.held(number, "Message")
        trace.call("Message", number, "getJMSMessageID", gives={"String": "ID:1:2"})
    trace.shown("m1.jms_message_id")
    text = program(trace)
    first, second = (
        line for line in main_of(text) if "getJMSMessageID" in line and "//" not in line
    )
    assert first == 'print("message1.getJMSMessageID()", keep(1, message1.getJMSMessageID()));'
    assert second == (
        'gives("message2.getJMSMessageID()", () -> message2.getJMSMessageID(), KEPT.get(1));'
    )
    compiles(text, tmp_path)


@pytest.mark.parametrize("method", ["getJMSTimestamp", "getJMSExpiration"])
def test_and_so_does_a_time_where_there_must_be_none(
    trace: Trace, tmp_path: Path, method: str
) -> None:
    trace.step("m0.jms_time")
    trace.call("Session", SESSION, "createMessage", gives=made(12))
    trace.held(12, "Message")
    trace.call("Message", 12, method, gives={"long": "1795000000000"})
    trace.shown("m0.jms_time", permitted="0")
    text = program(trace)
    assert f'givesAnother("message1.{method}()", () -> message1.{method}(), 0L);' in main_of(text)
    compiles(text, tmp_path)


def test_an_equal_time_decides_nothing(trace: Trace) -> None:
    """A client that is right sends two messages within a millisecond as well."""
    for number in (12, 13):
        trace.step(f"m{number}.jms_timestamp")
        trace.call("Session", SESSION, "createMessage", gives=made(number))
        trace.held(number, "Message")
        trace.call("Message", number, "getJMSTimestamp", gives={"long": "1795000000000"})
    trace.shown("m13.jms_timestamp")
    with pytest.raises(NotExpressible, match="another value in each run"):
        program(trace)


def test_but_it_decides_where_the_program_itself_has_given_it(trace: Trace) -> None:
    trace.step("m0.jms_timestamp = 5")
    trace.call("Session", SESSION, "createMessage", gives=made(12))
    trace.held(12, "Message")
    trace.call("Message", 12, "setJMSTimestamp", {"long": "5"})
    trace.step("m0.jms_timestamp")
    trace.call("Message", 12, "getJMSTimestamp", gives={"long": "5"})
    trace.shown("m0.jms_timestamp")
    assert main_of(program(trace))[-1] == (
        'gives("message1.getJMSTimestamp()", () -> message1.getJMSTimestamp(), 5L);'
    )


def test_what_no_call_shows_is_not_expressible(trace: Trace) -> None:
    trace.consumer()
    trace.step("m0 = s0.hear()")
    trace.shown("m0 = s0.hear()", nothing=True)
    with pytest.raises(NotExpressible, match="no call of the client"):
        program(trace)


def test_what_did_not_show_itself_again_is_no_section(trace: Trace) -> None:
    trace.step("s0.recover()")
    trace.call("Session", SESSION, "recover")
    trace.finding("JMS-THIS-001")
    trace.queue()
    assert [each.ids for each in sections(java_events(trace.lines))] == [("JMS-OTHER-001",)]


@pytest.mark.parametrize(
    ("fails_from", "by", "tries"),
    [(1, JMSException, 1), (2, JMSException, 2), (1, ResourceAllocationException, 3)],
)
def test_a_finding_is_written_down_when_it_shows_itself_again(
    fails_from: int, by: type[JMSException], tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driving, "is_raised_by_client", lambda error: isinstance(error, CLIENTS))
    closed = 0
    raised = JMSException

    def refuses_to_close(_: InMemory, step: Step, call: Call) -> object:
        nonlocal closed
        closed += step.method == "close"
        if step.method == "close" and closed >= fails_from:
            raise raised("not now")
        return call()

    def driver() -> SessionDriver:
        return SessionDriver(lambda program: InMemory(program, refuses_to_close))

    opens = Step("factory", "create_connection", (None,), "c0")
    steps = [opens, Step("c0", "create_session", (1,), "s0"), Step("s0", "close")]
    closes = Program(simplified=False, steps=steps)
    closed = fails_from
    [told] = driver().disagreements(closes)
    closed, raised = 0, by
    calls = Calls()
    calls.hear(id, "amqp://127.0.0.1:1")
    write_down(calls, driver, told, ["JMS-SESS-007"])
    events = java_events(calls.lines())
    assert [event["java"] for event in events].count("finding") == tries
    [section] = sections(events)
    assert section.ids == ("JMS-SESS-007",)
    assert [words for _, words in section.steps] == [*map(str, steps)]
    assert (section.raised, section.permitted) == (by.__name__, told.expectation.words)
