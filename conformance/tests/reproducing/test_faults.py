"""Programs with a relay, or a call that hangs: how they are made, and where there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import pytest

from java_adapter.java_fakes import api_jars
from jvm_runtime.locks import Lock
from reproducing.linked_traces import (
    HERE,
    PRODUCER,
    completes,
    fault,
    linked,
    never_comes_back,
    sends,
    sends_asynchronously,
)
from reproducing.traces_by_hand import (
    CONSUMER,
    LISTENER,
    MESSAGE,
    QUEUE,
    SESSION,
    Trace,
    compiles,
    made,
    trace_by_hand,
)
from touchstone.catalogue import Library
from touchstone.reproducing.confirming import compile_program
from touchstone.reproducing.control import Control
from touchstone.reproducing.deciding import Decision
from touchstone.reproducing.difference import Hangs, Returns, Throws
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.java_values import JavaValues
from touchstone.reproducing.plan import plan
from touchstone.reproducing.recording import Call, NotExpressible, recording
from touchstone.reproducing.relays import BrokerPlace
from touchstone.reproducing.verdict_deciding import verdict_decision
from touchstone.reproducing.verdicts import Accusation, reproducers

CLIENT = Path(__file__).parent / "Linked.java"
AWAITED = "not within 5 s: the last value was False"
HELD_BACK = "onCompletion was called while the broker's confirmation was held back"
LOST = ["jakarta.jms.JMSException"]


def decided(trace: Trace, reason: str, seen: str | None = None) -> Decision:
    return verdict_decision(reason, seen, recording(trace.lines))


def program(trace: Trace, reason: str) -> str:
    recorded = recording(trace.lines)
    decision = verdict_decision(reason, None, recorded)
    made_plan = plan(recorded, decision.signs, silent=decision.silent)
    return JavaProgram(made_plan, "jakarta.jms", ["What it shows."]).text


def compiles_linked(text: str, folder: Path) -> None:
    """The program compiles with the client whose connections go through a relay."""
    client, source = folder / "Linked.java", folder / "Reproducer.java"
    client.write_text(CLIENT.read_text(encoding="utf-8"))
    source.write_text(text)
    compile_program(client, api_jars(), folder)
    compile_program(source, [*api_jars(), folder], folder)


def steps(text: str) -> list[str]:
    """What the program does between its begin and its end."""
    return [line.strip() for line in text.partition("relay1 = ")[2].splitlines()]


def cut_before_commit() -> Trace:
    trace = linked()
    trace.call("Session", SESSION, "commit")
    fault(trace, "cut", "RST")
    trace.call("Session", SESSION, "commit", throws=LOST)
    return trace


def test_a_program_has_the_relay_where_the_scenario_had_it(tmp_path: Path) -> None:
    text = program(cut_before_commit(), "JMSException: lost")

    [relay, factory, _, host, port, first, cut, decides, *_] = steps(text)
    assert (relay, factory) == ("new Relay();", "fake.Linked linked1 = new fake.Linked();")
    assert (host, port) == ("linked1.setHost(Relay.HERE);", "linked1.setPort(relay1.port());")
    assert (first, cut) == ("session1.commit();", "relay1.cut();")
    assert decides == "// Here it shows:"
    assert "PORT" in text
    assert "HOST, PORT" in text
    compiles_linked(text, tmp_path)


def test_a_program_without_a_relay_has_nothing_of_it() -> None:
    trace = trace_by_hand()
    trace.call("Session", SESSION, "commit", throws=LOST)
    text = program(trace, "JMSException: lost")
    assert "Relay" not in text
    assert "java.net.*" not in text


def test_an_address_of_a_relay_is_that_of_the_programs() -> None:
    relays = MappingProxyType({1: BrokerPlace("127.0.0.1", 47110)})
    values = JavaValues(BrokerPlace("127.0.0.1", 4711), str, str, relays)
    assert values.string("b://127.0.0.1:47110/x") == '"b://" + "127.0.0.1:" + relay1.port() + "/x"'
    assert values.string("b://127.0.0.1:4711/x") == '"b://" + HOST + ":" + PORT + "/x"'
    assert values.text({"int": "47110"}) == "relay1.port()"


def test_each_fault_is_made_in_its_turn(tmp_path: Path) -> None:
    trace = linked()
    fault(trace, "stall", "TO_CLIENT")
    trace.call("Session", SESSION, "recover", throws=LOST)
    fault(trace, "resume", "TO_BROKER", "TO_CLIENT")
    fault(trace, "down")
    fault(trace, "up")
    trace.call("Session", SESSION, "commit", throws=LOST)
    text = program(trace, "JMSException: lost")

    assert [line for line in steps(text) if line.startswith("relay1.")][:4] == [
        "relay1.stall(Relay.Way.TO_CLIENT);",
        "relay1.resume(Relay.Way.TO_BROKER, Relay.Way.TO_CLIENT);",
        "relay1.down();",
        "relay1.up();",
    ]
    compiles_linked(text, tmp_path)


def test_a_call_during_which_a_fault_comes_has_a_thread_of_its_own(tmp_path: Path) -> None:
    trace = linked()
    trace.call("Session", SESSION, "commit", throws=LOST, thread=2, takes=5)
    fault(trace, "cut", "RST")
    text = program(trace, "JMSException: lost")

    [_, _, _, _, _, begun, pause, cut, joined, *_] = steps(text)
    assert begun == "Future<?> later1 = beside(() -> { session1.commit(); return null; });"
    assert (pause, cut) == ("Thread.sleep(250);", "relay1.cut();")
    assert joined.startswith('throwsIt("session1.commit()", () -> result(later1),')
    compiles_linked(text, tmp_path)


def test_the_factory_of_a_control_is_behind_the_relay_as_well() -> None:
    own = [
        Call(1, 1, None, "", "org.Bb", (), made(70), (), "", 0, 0, 1, None),
        Call(2, 2, 70, "org.Bb", "setUrl", ({"String": "b://h:1"},), None, (), "", 0, 0, 1, None),
    ]
    place = BrokerPlace("h", 1)
    control = Control("bb 1", {}, "jakarta.jms", Lock("bb", ()), frozenset(), own, place)
    trace = linked()
    trace.lines[1] = trace.lines[1].replace("fake.Linked", "fake.LinkedFactory")

    trace.call("Session", SESSION, "commit", throws=LOST)

    recorded = control.calls(recording(trace.lines))
    [url] = [call.given for call in recorded.calls if call.method == "setUrl"]
    assert url == ({"String": f"b://127.0.0.1:{HERE}"},)
    decision = verdict_decision("JMSException: lost", None, recorded)
    text = JavaProgram(plan(recorded, decision.signs), "jakarta.jms", []).text
    assert 0 < text.index("relay1 = new Relay();") < text.index("relay1.port());")


def ruled() -> Trace:
    """It is a rule of the relay that makes the fault."""
    trace = linked()
    fault(trace, "on", "Hold()")
    trace.call("Session", SESSION, "commit", throws=LOST)
    return trace


def ended() -> Trace:
    """The connection ends in order."""
    trace = linked()
    fault(trace, "cut", "FIN")
    trace.call("Session", SESSION, "commit", throws=LOST)
    return trace


def heard() -> Trace:
    """A listener makes the fault."""
    trace = linked()
    trace.note({"java": "listener", "number": LISTENER, "as": "MessageListener"})
    trace.call("Session", SESSION, "setMessageListener", {"listener": LISTENER})
    event = {"java": "callback", "number": LISTENER, "method": "onMessage", "given": []}
    trace.note(event)
    fault(trace, "cut", "RST")
    trace.note({"java": "returned", "number": LISTENER})
    trace.call("Session", SESSION, "commit", throws=LOST)
    return trace


def redirected() -> Trace:
    """The broker tells where to go on."""
    trace = cut_before_commit()
    trace.lines = [line.replace("amqp:", "pulsar:") for line in trace.lines]
    return trace


def passed_by() -> Trace:
    """Nothing of the client goes through the relay."""
    trace = cut_before_commit()
    trace.lines = [line for line in trace.lines if "setPort" not in line]
    return trace


@pytest.mark.parametrize(
    ("traced", "why"),
    [
        (ruled, "a fault is a rule about what passes between client and broker"),
        (ended, "a connection is ended in order, not cut"),
        (heard, "a listener itself makes a fault between client and broker"),
        (redirected, "the broker tells its clients another address than the relay's"),
        (passed_by, "no call that it repeats goes through the relay"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_what_no_relay_of_a_program_shows_is_not_expressible(
    traced: Callable[[], Trace], why: str
) -> None:
    with pytest.raises(NotExpressible, match=why):
        program(traced(), "JMSException: lost")


@pytest.mark.parametrize(
    ("on", "what", "why"),
    [
        ("faults", "frame proxy", "a fault comes at a frame of the protocol"),
        ("faults", "admin proxy", "a fault is one of the broker's administration"),
        ("faults", "process", "a process is stopped on the way"),
        ("faults", "start", "the run is an old one, whose trace does not tell its faults"),
        ("workload", "listeners-cut", "a workload is many clients at once"),
    ],
)
def test_other_faults_say_in_their_own_words_why_there_is_no_program(
    on: str, what: str, why: str, tmp_path: Path
) -> None:
    line = json.dumps({"at": 0, "thread": 0, "event": "note", "on": on, "what": what})
    (tmp_path / "trace.jsonl").write_text(line)
    accusation = Accusation(tmp_path, {"provider": "qpid", "trace": "trace.jsonl"}, {}, "", "")
    with pytest.raises(NotExpressible, match=why):
        reproducers(accusation, Library(()))


# -- what decides ----------------------------------------------------------------------------------


def test_what_was_seen_before_the_fault_does_not_decide() -> None:
    trace = linked()
    trace.call("Session", SESSION, "commit", throws=LOST)
    fault(trace, "cut", "RST")
    trace.call("Session", SESSION, "recover")
    with pytest.raises(NotExpressible, match="no call behind the fault decides"):
        decided(trace, "JMSException: lost")


@pytest.mark.parametrize(
    ("reason", "seen", "tells"),
    [
        ("assert 'JMSException' == 'TransactionRolledBackException'", "'JMSException'", True),
        ("assert ['x came again'] == []", "['x came again']", True),
        ("assert 2 == 1", "2", False),
        ("the listener ran twice at once", None, False),
    ],
)
def test_behind_a_fault_a_call_has_to_tell_what_was_compared(
    reason: str, seen: str | None, tells: bool
) -> None:
    trace = cut_before_commit()
    trace.call("Session", SESSION, "createTextMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "TextMessage")
    trace.call("TextMessage", MESSAGE, "getText", gives={"String": "x came again"})
    if tells:
        assert decided(trace, reason, seen).signs
        return
    with pytest.raises(NotExpressible, match="no call behind the fault decides"):
        decided(trace, reason, seen)


def test_a_wait_behind_a_fault_may_have_been_for_anything() -> None:
    trace = cut_before_commit()
    with pytest.raises(NotExpressible, match="what was awaited behind a fault is no call"):
        decided(trace, AWAITED)


def held_back(*does: str) -> Trace:
    trace = linked()
    fault(trace, "stall", "TO_CLIENT")
    sends_asynchronously(trace)
    for each in does:
        fault(trace, each)
    return trace


def test_sends_of_which_nothing_is_told_decide() -> None:
    assert decided(held_back("down"), AWAITED) == Decision({}, (LISTENER,))
    assert decided(held_back("down"), "assert [] == ['x']", "[]") == Decision({}, (LISTENER,))


def test_what_is_still_held_back_is_rightly_not_told() -> None:
    with pytest.raises(NotExpressible, match="what was awaited behind a fault is no call"):
        decided(held_back(), AWAITED)


def test_where_the_broker_was_asked_at_last_the_wait_was_for_that() -> None:
    trace = held_back("down")
    trace.note({"java": "looked"})
    with pytest.raises(NotExpressible, match="what was awaited behind a fault is no call"):
        decided(trace, AWAITED)


def test_sends_that_are_told_without_a_confirmation_decide() -> None:
    trace = held_back()
    completes(trace)
    assert decided(trace, HELD_BACK) == Decision({})
    assert decided(trace, "assert 0 == 1", "0") == Decision({})
    fault(trace, "resume", "TO_CLIENT")
    text = program(trace, HELD_BACK)
    awaited, resumed = f"onCompletion{LISTENER}.awaitEnded(1);", "relay1.resume("
    assert 0 < text.index(awaited) < text.index(resumed)


def test_a_send_that_was_told_behind_its_confirmation_decides_nothing() -> None:
    trace = linked()
    fault(trace, "stall", "TO_CLIENT")
    fault(trace, "resume", "TO_CLIENT")
    sends_asynchronously(trace)
    completes(trace)
    with pytest.raises(NotExpressible):
        decided(trace, HELD_BACK)


def test_a_send_that_came_back_without_a_confirmation_decides() -> None:
    reason = "send() returned while the broker's confirmation was held back"
    trace = linked()
    fault(trace, "stall", "TO_CLIENT")
    sends(trace)
    early = [call.moment for call in recording(trace.lines).calls if call.on == PRODUCER]
    fault(trace, "resume", "TO_CLIENT")
    assert decided(trace, reason) == Decision({early[0]: Returns()})

    late = linked()
    fault(late, "stall", "TO_CLIENT")
    fault(late, "resume", "TO_CLIENT")
    sends(late)
    with pytest.raises(NotExpressible, match="no send came back while"):
        decided(late, reason)


# -- what hangs ------------------------------------------------------------------------------------


def hanging(declared: str, on: int, method: str) -> Trace:
    trace = trace_by_hand()
    trace.queue()
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageConsumer")
    never_comes_back(trace, declared, on, method, thread=2)
    return trace


def test_a_close_that_never_comes_back_decides(tmp_path: Path) -> None:
    trace = hanging("Session", SESSION, "close")
    trace.note({"java": "ended"})
    [sign] = decided(trace, AWAITED).signs.values()
    assert sign == Hangs(10)
    text = program(trace, "close did not come back within 60 s: close of the client hangs")
    watched, closes = "beside(() -> stillHangs(10));", 'hangs("session1.close()", () -> session1'
    assert 0 < text.index(watched) < text.index(closes)
    compiles(text, tmp_path)


def test_a_program_waits_no_shorter_than_the_scenario_but_for_half_a_minute_at_most() -> None:
    for seconds, waits in ((12.5, 13), (500, 30)):
        trace = hanging("Session", SESSION, "close")
        began = json.loads(trace.lines[-1])["at"]
        trace.note({"java": "ended"})
        trace.lines[-1] = json.dumps(json.loads(trace.lines[-1]) | {"at": began + seconds})
        assert [*decided(trace, AWAITED).signs.values()] == [Hangs(waits)]


def test_a_close_in_a_listener_is_made_by_its_thread(tmp_path: Path) -> None:
    trace = trace_by_hand()
    sends_asynchronously(trace)
    event = {"java": "callback", "number": LISTENER, "method": "onCompletion"}
    trace.note(event | {"given": [made(MESSAGE)]}, thread=2)
    never_comes_back(trace, "Session", SESSION, "close", thread=2)
    trace.note({"java": "ended"})
    text = program(trace, AWAITED)
    listens = text.index("public void onCompletion")
    assert listens < text.index('hangs("session1.close()", () -> session1.close());')
    assert 0 < text.index(f"onCompletion{LISTENER}.awaitBegun(1);") < text.index("stillHangs(10);")
    compiles(text, tmp_path)


def test_what_other_threads_call_meanwhile_they_call_in_the_program(tmp_path: Path) -> None:
    trace = hanging("MessageConsumer", CONSUMER, "receive")
    trace.call("Session", SESSION, "recover")
    trace.call("Session", SESSION, "close", thread=3)
    text = program(trace, AWAITED)
    assert "    session1.recover();\n" in text
    assert "Future<?> later2 = beside(() -> { session1.close(); return null; });" in text
    assert text.index("result(later2);") < text.index("stillHangs(10);")
    compiles(text, tmp_path)


def waits() -> Trace:
    """What it waits for has not come, and nobody has closed it."""
    return hanging("MessageConsumer", CONSUMER, "receive")


def other_closed() -> Trace:
    """Another session was closed."""
    trace = hanging("MessageConsumer", CONSUMER, "receive")
    trace.call("Connection", 9, "createSession", gives=made(40))
    trace.held(40, "Session")
    trace.call("Session", 40, "close")
    return trace


def at_work() -> Trace:
    """It has to wait for a listener."""
    trace = trace_by_hand()
    trace.note({"java": "listener", "number": LISTENER, "as": "MessageListener"})
    trace.call("Session", SESSION, "setMessageListener", {"listener": LISTENER})
    event = {"java": "callback", "number": LISTENER, "method": "onMessage", "given": []}
    trace.note(event, thread=2)
    never_comes_back(trace, "Session", SESSION, "close")
    return trace


def at_last() -> Trace:
    """A send may wait for the broker."""
    trace = trace_by_hand()
    sends(trace)
    never_comes_back(trace, "MessageProducer", PRODUCER, "send")
    return trace


def behind_a_fault() -> Trace:
    """The broker cannot answer."""
    trace = linked()
    fault(trace, "stall", "TO_CLIENT")
    never_comes_back(trace, "Session", SESSION, "commit")
    return trace


def two() -> Trace:
    """One may wait for the other."""
    trace = hanging("Session", SESSION, "close")
    never_comes_back(trace, "Session", SESSION, "commit", thread=3)
    return trace


@pytest.mark.parametrize(
    "traced", [waits, other_closed, at_work, at_last, behind_a_fault, two], ids=lambda f: f.__name__
)
def test_what_may_rightly_wait_is_no_difference(traced: Callable[[], Trace]) -> None:
    with pytest.raises(NotExpressible):
        program(traced(), AWAITED)


def test_a_call_that_hangs_is_not_what_another_reason_speaks_of() -> None:
    trace = hanging("Session", SESSION, "close")
    trace.call("Session", SESSION, "commit", throws=LOST)
    [sign] = decided(trace, "JMSException: lost").signs.values()
    assert sign == Throws(LOST[0])
    with pytest.raises(NotExpressible, match="close\\(\\) never came back"):
        program(trace, "JMSException: lost")
