"""Programs of plain JMS from traces made by hand: their text, that it compiles, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands.made_runs import a_line, write_run
from jms_brokers.machine.secrecy import learn
from reproducing.traces_by_hand import (
    AT,
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
from touchstone.cli import main
from touchstone.errors import UsageError
from touchstone.reproducing.difference import (
    ComesBack,
    Gives,
    GivesAnother,
    Passes,
    Throws,
    signs,
)
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.java_values import JavaValues
from touchstone.reproducing.plan import plan
from touchstone.reproducing.recording import NotExpressible, recording
from touchstone.reproducing.relays import BrokerPlace
from touchstone.reproducing.verdicts import accusations
from touchstone.verdicts import ExitStatus

HERE = "// Here it shows:"


@pytest.fixture
def trace() -> Trace:
    """One whose session comes from a connection that the program makes."""
    return trace_by_hand()


def main_of(trace: Trace, reason: str, seen: str | None = None) -> list[str]:
    """The statements of the main thread, from the session on."""
    text = program(trace, reason, seen)
    lines = [line.strip() for line in text.split("try {", 2)[2].split("} catch", 1)[0].split("\n")]
    return [line for line in lines if line and line != HERE][2:]


def program(trace: Trace, reason: str, seen: str | None = None) -> str:
    recorded = recording(trace.lines)
    return JavaProgram(
        plan(recorded, signs(reason, seen, recorded)), "jakarta.jms", ["What it shows."]
    ).text


def test_names_that_the_harness_made_up_are_fresh_in_each_run(trace: Trace) -> None:
    trace.queue()
    trace.call(
        "Session", SESSION, "createBrowser", made(QUEUE), throws=["jakarta.jms.JMSException"]
    )
    assert main_of(trace, "JMSException: no") == [
        'Queue queue1 = session1.createQueue(fresh("queue1"));',
        'throwsIt("session1.createBrowser(queue1)", () -> session1.createBrowser(queue1), '
        '"jakarta.jms.JMSException");',
    ]


def test_the_only_call_that_decides_is_pointed_out_and_told(trace: Trace) -> None:
    trace.queue()
    trace.call("Session", SESSION, "createBrowser", made(QUEUE), gives=made(30))
    thrown = ["org.example.Mine", "jakarta.jms.JMSException"]
    trace.call("Session", SESSION, "createBrowser", made(QUEUE), throws=thrown)
    recorded = recording(trace.lines)
    written = JavaProgram(
        plan(recorded, signs("JMSException: no", None, recorded)), "jakarta.jms", []
    )
    _, after = written.text.split(HERE)
    assert after.strip().startswith(
        'throwsIt("session1.createBrowser(queue1)", () -> session1.createBrowser(queue1), '
        '"jakarta.jms.JMSException");'
    )
    assert written.decides == ["`session1.createBrowser(queue1)` throws `jakarta.jms.JMSException`"]


def test_what_a_listener_was_not_refused_decides(trace: Trace, tmp_path: Path) -> None:
    trace.consumer()
    trace.listens()
    trace.note(
        {"java": "callback", "number": LISTENER, "method": "onMessage", "given": [made(MESSAGE)]},
        thread=2,
    )
    trace.call("MessageConsumer", CONSUMER, "close", thread=2)
    trace.held(MESSAGE, "TextMessage")
    trace.call("Message", MESSAGE, "getJMSType", gives={"String": "x"}, thread=2)
    trace.note({"java": "returned", "number": LISTENER}, thread=2)
    text = program(trace, "assert [] == [<class 'jmsapi.errors.IllegalStateException'>]", "[]")
    assert 'passes("consumer1.close()", () -> consumer1.close(), "IllegalStateException");' in text
    compiles(text, tmp_path)


def test_a_close_that_does_not_wait_for_callbacks_comes_too_soon(
    trace: Trace, tmp_path: Path
) -> None:
    trace.queue()
    trace.call("Session", SESSION, "createProducer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageProducer")
    trace.call("Session", SESSION, "createMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "Message")
    trace.note({"java": "listener", "number": LISTENER, "as": "CompletionListener"})
    for _ in range(2):
        given = made(MESSAGE), {"listener": LISTENER, "as": "jakarta.jms.CompletionListener"}
        trace.call("MessageProducer", CONSUMER, "send", *given)
    back = {"java": "callback", "number": LISTENER, "method": "onCompletion"}
    trace.note(back | {"given": [made(MESSAGE)]}, thread=2)
    trace.note({"java": "returned", "number": LISTENER}, thread=2)
    trace.call("Session", SESSION, "close")
    trace.note({"java": "ended"})
    text = program(trace, "assert 1 == 2", "1")
    listeners = "onCompletion1, onException1"
    assert f'tooSoon("session1.close()", () -> session1.close(), 2, {listeners});' in text
    compiles(text, tmp_path)
    with pytest.raises(NotExpressible):  # how many there were is another number
        program(trace, "assert 0 == 2", "0")
    with pytest.raises(NotExpressible):  # there were too many, not too few
        program(trace, "assert 1 == 0", "1")


def test_an_acknowledgement_mode_has_its_name(trace: Trace, tmp_path: Path) -> None:
    given = {"boolean": False}, {"int": "3"}
    trace.call("Connection", 9, "createSession", *given, gives=made(40))
    trace.held(40, "Session")
    trace.call("Session", 40, "getAcknowledgeMode", gives={"int": "1"})
    text = program(trace, "assert 1 == 3", "1")
    assert ".createSession(false, Session.DUPS_OK_ACKNOWLEDGE);" in text
    compiles(text, tmp_path)


def test_what_the_scenario_goes_on_with_decides_only_for_another_statement(trace: Trace) -> None:
    trace.queue()
    trace.call("Session", SESSION, "createBrowser", made(QUEUE), gives=made(30))
    trace.failed("JMS-X-001")
    trace.call("Session", SESSION, "getAcknowledgeMode", gives={"int": "3"})
    first, second = (recording(trace.lines, f"JMS-X-00{number}") for number in (1, 2))
    [last] = signs("not refused: JMSException was expected", None, first)
    assert [call.method for call in first.calls if call.moment == last] == ["createBrowser"]
    [last] = signs("not refused: JMSException was expected", None, second)
    assert [call.method for call in second.calls if call.moment == last] == ["getAcknowledgeMode"]


def test_a_browser_that_is_its_own_enumeration_is_apart_from_it(
    trace: Trace, tmp_path: Path
) -> None:
    """The program is of any client: most make another object."""
    trace.queue()
    trace.call("Session", SESSION, "createBrowser", made(QUEUE), gives=made(30))
    trace.held(30, "QueueBrowser")
    trace.call("QueueBrowser", 30, "getEnumeration", gives=made(30))
    trace.call("java.util.Enumeration", 30, "hasMoreElements", gives={"boolean": False})
    text = program(trace, "assert False is True", "False")
    assert "Enumeration<?> enumeration1 = browser1.getEnumeration();" in text
    assert "enumeration1.hasMoreElements(), false" in text
    assert "(Enumeration)" not in text
    compiles(text, tmp_path)


def test_what_comes_behind_a_message_needs_it(trace: Trace, tmp_path: Path) -> None:
    trace.consumer()
    trace.call("MessageConsumer", CONSUMER, "receive", {"long": "1000"}, gives=made(MESSAGE))
    trace.held(MESSAGE, "TextMessage")
    trace.call("Session", SESSION, "unsubscribe", {"String": "s"})
    text = program(trace, "not refused: JMSException was expected, and nothing came", None)
    received = next(line for line in text.split("\n") if "arrives(" in line)
    assert received.strip() == 'arrives("consumer1.receive(1000L)", message1);'
    assert text.index("arrives(") < text.index("// Here it shows:")
    compiles(text, tmp_path)


def test_names_are_told_by_an_enumeration_of_whatever_class(trace: Trace, tmp_path: Path) -> None:
    trace.call("Session", SESSION, "createMapMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "MapMessage")
    trace.call("MapMessage", MESSAGE, "getMapNames", gives=made(30))
    trace.call("Session", 30, "nextElement", gives={"String": "k"})
    lines = [
        line.replace(
            '"jakarta.jms.Session", "method": "next', '"org.own.Iterator", "method": "next'
        )
        for line in trace.lines
    ]
    assert lines != trace.lines
    trace.lines = lines
    text = program(trace, "assert ['k'] == []", "['k']")
    assert 'gives("enumeration1.nextElement()", () -> enumeration1.nextElement(), "k");' in text
    compiles(text, tmp_path)


def test_a_program_in_which_nothing_decides_is_none(trace: Trace) -> None:
    recorded = recording(trace.lines)
    with pytest.raises(NotExpressible, match="no call of JMS"):
        plan(recorded, {4711: ComesBack()})


def test_a_value_that_a_message_gave_decides(trace: Trace, tmp_path: Path) -> None:
    trace.call("Session", SESSION, "createMapMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "MapMessage")
    trace.call("MapMessage", MESSAGE, "setShort", {"String": "k"}, {"short": "-3"})
    trace.call("MapMessage", MESSAGE, "getInt", {"String": "k"}, gives={"int": "4"})
    assert main_of(trace, "assert 4 == -3", "4") == [
        "MapMessage message1 = session1.createMapMessage();",
        'message1.setShort("k", (short) -3);',
        'gives("message1.getInt(\'k\')", () -> message1.getInt("k"), 4);',
    ]
    compiles(program(trace, "assert 4 == -3", "4"), tmp_path)


def test_a_program_that_no_method_holds_has_several(trace: Trace, tmp_path: Path) -> None:
    trace.call("Session", SESSION, "createMapMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "MapMessage")
    for number in range(4_000):
        name = {"String": f"{number} {'x' * 40}"}
        trace.call("MapMessage", MESSAGE, "getInt", name, gives={"int": str(number)})
    text = program(trace, "assert {'a': 1} == {}")
    assert "static volatile MapMessage message1;" in text
    assert "part8();" in text
    assert text.count("gives(") > 4_000
    compiles(text, tmp_path)


def test_what_a_call_writes_into_an_array_decides_as_well(trace: Trace, tmp_path: Path) -> None:
    trace.call("Session", SESSION, "createBytesMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "BytesMessage")
    buffer = {"bytes": "000000"}
    trace.note(
        {"java": "call", "on": MESSAGE, "as": "jakarta.jms.BytesMessage", "method": "readBytes",
         "given": [buffer, {"int": "2"}], "got": {"int": "1"}, "filled": {"bytes": "ff0000"},
         "until": trace.moment + 2}
    )  # fmt: skip
    trace.moment += 1
    assert main_of(trace, "assert b'\\xff' == b'\\x01'")[-1] == (
        'gives("message1.readBytes(new byte[] {0, 0, 0}, 2)", () -> '
        "filled(new byte[] {0, 0, 0}, array -> message1.readBytes(array, 2)), "
        "new ArrayList<>(Arrays.asList(1, new byte[] {-1, 0, 0})));"
    )
    compiles(program(trace, "assert 3 == 1"), tmp_path)


def test_arrays_within_lists_and_maps_are_compared_by_what_is_in_them(
    trace: Trace, tmp_path: Path
) -> None:
    trace.call("Session", SESSION, "createObjectMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "ObjectMessage")
    content = {"List": [{"Map": [[{"String": "k"}, {"bytes": "00ff"}]]}, None]}
    trace.call("ObjectMessage", MESSAGE, "getObject", gives=content)
    text = program(trace, "assert [] == 3")
    assert "deepEquals(plain(given), plain(shown))" in text
    compiles(text, tmp_path)


def test_what_only_looks_is_left_out_unless_it_decides(trace: Trace) -> None:
    trace.queue()
    trace.call("Queue", QUEUE, "getQueueName", gives={"String": "queue_0123456789ab"})
    trace.call("Session", SESSION, "getTransacted", gives={"boolean": False})
    assert main_of(trace, "assert False is True", "False") == [
        'gives("session1.getTransacted()", () -> session1.getTransacted(), false);'
    ]


def test_a_look_at_a_message_is_kept_where_it_is_used_later(trace: Trace) -> None:
    trace.call("Session", SESSION, "createBytesMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "BytesMessage")
    trace.call("BytesMessage", MESSAGE, "getBody", {"Class": "[B"}, gives={"bytes": "01"})
    trace.call("BytesMessage", MESSAGE, "readByte", throws=["jakarta.jms.MessageEOFException"])
    trace.call("BytesMessage", MESSAGE, "getBodyLength", gives={"long": "1"})
    lines = main_of(trace, "MessageEOFException: no more")
    assert 'print("message1.getBody(byte[].class)", message1.getBody(byte[].class));' in lines
    assert not any("getBodyLength" in line for line in lines)


def test_what_is_written_into_a_message_that_came_is_kept(trace: Trace) -> None:
    """The client may show it again; what is written into one that nobody sends nobody sees."""
    trace.queue()
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageConsumer")
    trace.call("MessageConsumer", CONSUMER, "receive", {"long": "9000"}, gives=made(MESSAGE))
    trace.held(MESSAGE, "TextMessage")
    trace.call("TextMessage", MESSAGE, "clearBody")
    trace.call("Session", SESSION, "getTransacted", gives={"boolean": False})
    assert "message1.clearBody();" in main_of(trace, "assert False is True", "False")


def test_a_call_that_should_have_been_refused_decides(trace: Trace, tmp_path: Path) -> None:
    trace.queue()
    reason = "not refused: JMSException or IllegalStateException was expected, and nothing came"
    assert main_of(trace, reason)[-1] == (
        "passes(\"session1.createQueue(fresh('queue1'))\", "
        '() -> session1.createQueue(fresh("queue1")), '
        '"JMSException", "IllegalStateException");'
    )
    compiles(program(trace, reason), tmp_path)


def test_what_alone_was_not_refused_is_used_all_the_same(trace: Trace, tmp_path: Path) -> None:
    trace.queue()
    refused = ["jakarta.jms.InvalidSelectorException"]
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), throws=refused)
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageConsumer")
    trace.call("MessageConsumer", CONSUMER, "close")
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), throws=refused)
    reason = "assert ['refused', None, 'refused'] == []"
    assert main_of(trace, reason, reason)[2:5] == [
        "MessageConsumer consumer1 = (MessageConsumer) "
        'given("session1.createConsumer(queue1)", () -> session1.createConsumer(queue1));',
        'comes("session1.createConsumer(queue1)", consumer1);',
        "consumer1.close();",
    ]
    compiles(program(trace, reason), tmp_path)


def test_a_missing_message_is_the_longest_receive_that_gave_none(
    trace: Trace, tmp_path: Path
) -> None:
    trace.queue()
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageConsumer")
    for timeout in ("5000", "9000", "900"):
        trace.note(
            {"java": "call", "on": CONSUMER, "as": "jakarta.jms.MessageConsumer",
             "method": "receive", "given": [{"long": timeout}], "got": None,
             "until": trace.moment + 2, "back": int(timeout) / 1000}
        )  # fmt: skip
        trace.moment += 1
    assert main_of(trace, "no message came within 9 s")[-3:] == [
        'print("consumer1.receive(5000L)", consumer1.receive(5000L));',
        'gives("consumer1.receive(9000L)", () -> consumer1.receive(9000L), null);',
        'print("consumer1.receive(900L)", consumer1.receive(900L));',
    ]
    compiles(program(trace, "no message came within 9 s"), tmp_path)


def test_a_listener_does_each_time_what_it_did_and_is_awaited(trace: Trace, tmp_path: Path) -> None:
    trace.queue()
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageConsumer")
    trace.note({"java": "listener", "number": LISTENER, "as": "MessageListener"})
    trace.call("MessageConsumer", CONSUMER, "setMessageListener", {"listener": LISTENER})
    callback = {"java": "callback", "number": LISTENER, "method": "onMessage"}
    trace.note(callback | {"given": [made(MESSAGE)]}, thread=2)
    trace.held(MESSAGE, "TextMessage")
    trace.call("TextMessage", MESSAGE, "getText", gives={"String": "wrong"}, thread=2)
    returned = {"java": "returned", "number": LISTENER, "threw": ["java.lang.RuntimeException"]}
    trace.note(returned, thread=2)
    trace.call("Session", SESSION, "close")
    text = program(trace, "assert 'wrong' == 'right'", "'wrong'")
    assert main_of(trace, "assert 'wrong' == 'right'", "'wrong'")[-3:] == [
        "consumer1.setMessageListener(listener1);",
        "onMessage1.awaitEnded(1);",
        "session1.close();",
    ]
    assert 'gives("message1.getText()", () -> message1.getText(), "wrong");' in text
    assert 'throw new java.lang.RuntimeException("thrown by the listener");' in text
    compiles(text, tmp_path)


def test_a_call_during_which_others_are_made_has_a_thread(trace: Trace, tmp_path: Path) -> None:
    trace.queue()
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageConsumer")
    trace.call("MessageConsumer", CONSUMER, "receive", thread=2, takes=3)
    trace.call("MessageConsumer", CONSUMER, "close")
    trace.moment += 1
    trace.call("Session", SESSION, "getTransacted", gives={"boolean": True})
    lines = main_of(trace, "assert True is False", "True")
    assert [line.partition("(")[0] for line in lines[-4:]] == [
        "Future<?> later1 = beside",
        "consumer1.close",
        "result",
        "gives",
    ]
    compiles(program(trace, "assert True is False", "True"), tmp_path)


@pytest.mark.parametrize(
    ("value", "java"),
    [
        (None, "null"),
        ({"boolean": True}, "true"),
        ({"long": "-9223372036854775808"}, "-9223372036854775808L"),
        ({"Long": "-9223372036854775808"}, "Long.valueOf(-9223372036854775808L)"),
        ({"byte": "-128"}, "(byte) -128"),
        ({"float": "1e-45"}, "1e-45f"),
        ({"double": "nan"}, "Double.NaN"),
        ({"Float": "-Infinity"}, "Float.valueOf(Float.NEGATIVE_INFINITY)"),
        ({"char": 0}, "(char) 0"),
        ({"Character": 65}, "Character.valueOf((char) 65)"),
        ({"String": 'a"\\\n\u0000é'}, '"a\\"\\\\\\n\\u0000\\u00e9"'),
        ({"String": "\ud800x"}, '"\\ud800x"'),
        ({"String": "\U0001f600"}, '"\\ud83d\\ude00"'),
        ({"String": "x", "times": 65536}, '"x".repeat(65536)'),
        ({"String": ""}, '""'),
        ({"String": "at 127.0.0.1:4711/v"}, '"at " + HOST + ":" + PORT + "/v"'),
        ({"String": "127.0.0.1"}, "HOST"),
        ({"int": "4711"}, "PORT"),
        ({"String": "user=a&password=***"}, '"user=a&password=" + PASSWORD'),
        ({"bytes": "00ff"}, "new byte[] {0, -1}"),
        ({"bytes": "00" * 9}, "new byte[9]"),
        ({"bytes": "01" * 257}, f'Base64.getDecoder().decode("{"AQEB" * 85}AQE=")'),
        ({"Class": "[B"}, "byte[].class"),
        ({"null": "java.io.Serializable"}, "(java.io.Serializable) null"),
        ({"List": [{"Integer": "1"}, None]},
         "new ArrayList<>(Arrays.asList(Integer.valueOf(1), null))"),
        ({"Map": [[{"String": "k"}, {"Boolean": False}]]}, 'map("k", false)'),
        ({"named": "Topic", "name": {"String": "t"}},
         'new Topic() { public String getTopicName() { return "t"; } '
         'public String toString() { return "t"; } }'),
        ({"named": "Destination", "name": {"String": "d"}},
         'new Destination() { public String toString() { return "d"; } }'),
        ({"BigInteger": "99"}, 'new java.math.BigInteger("99")'),
    ],
)  # fmt: skip
def test_values_keep_their_types(value: Any, java: str) -> None:
    assert JavaValues(BrokerPlace("127.0.0.1", 4711), str, str).text(value) == java


@pytest.mark.parametrize(
    ("value", "why"),
    [({"foreign": "_JProxy"}, "harness implements"), ({"cut": "String"}, "longer than a trace")],
)
def test_what_no_program_can_make_is_said(value: Any, why: str) -> None:
    with pytest.raises(NotExpressible, match=why):
        JavaValues(BrokerPlace("h", 1), str, str).text(value)


def test_which_calls_decide_follows_from_the_reason(trace: Trace) -> None:
    trace.call(
        "Session", SESSION, "createBrowser", throws=["org.example.Mine", "jakarta.jms.JMSException"]
    )
    browser = trace.moment - 1
    trace.call("Session", SESSION, "getAcknowledgeMode", gives={"int": "3"})
    mode = trace.moment - 1
    recorded = recording(trace.lines)
    to_an_application = Throws("jakarta.jms.JMSException")
    assert signs("JMSException: no", None, recorded) == {browser: to_an_application}
    refused = "not refused: JMSException was expected, and nothing came"
    assert signs(refused, None, recorded) == {mode: Passes(("JMSException",))}
    assert signs("assert 3 == 1", "3", recorded) == {mode: Gives({"int": "3"})}
    assert signs("assert [3] == []", "[3]", recorded) == {
        browser: to_an_application,
        mode: Gives({"int": "3"}),
    }
    trace.call("Session", SESSION, "createBrowser", gives=made(CONSUMER))
    came_back = trace.moment - 1
    assert signs("assert [None] == []", "[None]", recording(trace.lines)) == {
        browser: to_an_application,
        mode: Gives({"int": "3"}),
        came_back: ComesBack(),
    }
    with pytest.raises(NotExpressible, match="no call of the trace threw"):
        signs("MessageEOFException: end", None, recorded)


def test_a_result_that_the_adapter_does_not_know_decides_as_it_was(trace: Trace) -> None:
    trace.call("Session", SESSION, "getEnumeration", gives=made(7))
    trace.call("Enumeration", 7, "nextElement")
    decided = signs("ClientError: nextElement() gave null", None, recording(trace.lines))
    assert decided == {trace.moment - 1: Gives(None)}
    trace.call("Session", SESSION, "commit", throws=["org.example.Odd"])
    with pytest.raises(NotExpressible, match="threw the OddException"):
        signs("ClientError: org.example.OddException: no", None, recording(trace.lines))


def test_what_the_scenario_names_as_not_refused_decides(trace: Trace) -> None:
    trace.queue()
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), {"String": "a IN ()"})
    consumer = trace.moment - 1
    decided = signs("assert ['a IN ()'] == []", "['a IN ()']", recording(trace.lines))
    assert decided == {consumer: ComesBack()}
    with pytest.raises(NotExpressible, match="no result of a call"):
        signs("assert [1.5] == []", "[1.5]", recording(trace.lines))


def test_what_the_broker_showed_behind_the_last_call_decides_in_no_program(trace: Trace) -> None:
    trace.note({"java": "looked"})
    trace.call("Session", SESSION, "getAcknowledgeMode", gives={"int": "3"})
    assert signs("assert 3 == 1", None, recording(trace.lines))
    trace.note({"java": "looked"})
    with pytest.raises(NotExpressible, match="the broker itself"):
        signs("assert 2 == 0", None, recording(trace.lines))
    trace.call("Session", SESSION, "getX", gives={"String": "kept"})
    trace.note({"java": "looked"})
    assert signs("assert ['kept'] == []", "['kept']", recording(trace.lines))


def test_calls_of_a_scenario_before_are_no_part_of_the_program(trace: Trace) -> None:
    """Its threads may still be at work, on objects that this one never had."""
    trace.call("TextMessage", 99, "getBody", {"Class": "java.lang.String"}, gives={"String": "x"})
    trace.call("Session", SESSION, "getAcknowledgeMode", gives={"int": "3"})
    assert main_of(trace, "assert 3 == 1", "3") == [
        'gives("session1.getAcknowledgeMode()", () -> session1.getAcknowledgeMode(), 3);'
    ]


def test_a_value_of_each_run_its_own_decides_only_where_none_may_be(trace: Trace) -> None:
    trace.call("Session", SESSION, "createMessage", gives=made(MESSAGE))
    trace.call("Message", MESSAGE, "getJMSTimestamp", gives={"long": "1795000000000"})
    recorded = recording(trace.lines)
    with pytest.raises(NotExpressible, match="another value in each run"):
        signs("assert 1795000000000 == 5", "1795000000000", recorded)
    [sign] = signs("assert 1795000000000 == 0", "1795000000000", recorded).values()
    assert sign == GivesAnother({"long": "0"})
    with pytest.raises(NotExpressible, match="stays the same"):
        signs("assert False", None, recorded)


def test_a_value_that_the_program_gave_decides_unless_it_had_it_from_a_call(trace: Trace) -> None:
    trace.call("Session", SESSION, "createMessage", gives=made(MESSAGE))
    trace.call("Message", MESSAGE, "getJMSTimestamp", gives={"long": "1795"})
    trace.call("Message", MESSAGE, "setJMSDeliveryTime", {"long": "1795"})
    trace.call("Message", MESSAGE, "getJMSDeliveryTime", gives={"long": "1795"})
    with pytest.raises(NotExpressible, match="stays the same"):
        signs("assert ['sender'] == []", "['sender']", recording(trace.lines))
    trace.call("Message", MESSAGE, "setJMSDeliveryTime", {"long": "7"})
    trace.call("Message", MESSAGE, "getJMSDeliveryTime", gives={"long": "7"})
    decided = signs("assert ['sender'] == []", "['sender']", recording(trace.lines))
    assert decided == {trace.moment - 1: Gives({"long": "7"})}


def test_an_array_that_is_given_again_is_compared_as_it_is_then(trace: Trace) -> None:
    trace.call("Session", SESSION, "createMapMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "MapMessage")
    array = {"object": 77, "class": "byte[]"}
    for content in ("01", "02"):
        got = {**array, "content": {"bytes": content}}
        trace.call("MapMessage", MESSAGE, "getBytes", {"String": "k"}, gives=got)
    assert main_of(trace, "assert b'\\x02' == b'\\x01'")[-1] == (
        'gives("message1.getBytes(\'k\')", message1.getBytes("k"), new byte[] {2});'
    )


def test_only_a_whole_trace_of_one_broker_can_be_repeated(trace: Trace) -> None:
    with pytest.raises(NotExpressible, match="has no calls of Java"):
        recording(['{"at": 0.1, "event": "call"}'])
    dropped = [*trace.lines, json.dumps({"java": "dropped", "count": 7})]
    with pytest.raises(NotExpressible, match="7 calls are missing"):
        recording(dropped)
    elsewhere = [*trace.lines, json.dumps(AT | {"url": "amqp://127.0.0.1:9"})]
    with pytest.raises(NotExpressible, match="several ways"):
        recording(elsewhere)


def test_what_closes_the_scenario_is_no_part_of_the_program(trace: Trace) -> None:
    trace.queue()
    trace.note({"java": "ended"})
    trace.call("Session", SESSION, "close")
    assert [call.method for call in recording(trace.lines).calls][-1] == "createQueue"


def test_only_verdicts_that_speak_against_a_client_are_taken(tmp_path: Path) -> None:
    lines = [a_line(), a_line("VIOLATES", broker_profile="plain", trace=None)]
    run = write_run(tmp_path / "run", lines, brokers=[{"profile": "plain", "family": "pulsar"}])
    assert [accusation.line["verdict"] for accusation in accusations(run)] == ["VIOLATES"]
    assert list(accusations(run, requirement="SLJ-HDR-002")) == []
    with pytest.raises(UsageError, match="no finished run"):
        list(accusations(tmp_path))


def test_a_client_that_is_not_in_java_is_not_expressible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = a_line("VIOLATES", broker_profile="plain", trace=None)
    brokers = [{"profile": "plain", "family": "pulsar", "version": "4.0.7"}]
    run = write_run(tmp_path / "run", [line], provider="reference", brokers=brokers)
    status = main(["reproduce", str(run), "--out", str(tmp_path / "out"), "--json"])
    assert status == ExitStatus.COULD_NOT_JUDGE
    [told] = json.loads(capsys.readouterr().out)["reproducers"]
    assert (told["outcome"], told["told"]) == ("not expressible", "the client is not in Java")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("own", "reason", "outcome"),
    [
        ("admin", "not refused: JMSException was expected, and nothing came", "written"),
        ("admin", "assert 3 == 1", "not expressible"),
        ("send", "not refused: JMSException was expected, and nothing came", "not expressible"),
    ],
)
def test_of_what_the_administration_takes_part_in_only_a_refusal_is_expressible(
    own: str,
    reason: str,
    outcome: str,
    trace: Trace,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    trace.call("Session", SESSION, "getAcknowledgeMode", gives={"int": "3"})
    event = {"on": "independent client", "what": own, "event": "call"}
    file = tmp_path / "run" / "one.jsonl"
    line = a_line("VIOLATES", broker_profile="plain", trace=file.name, by_chance=False,
                  expected=None, seen="3")  # fmt: skip
    brokers = [{"profile": "plain", "family": "pulsar", "version": "4.0.7"}]
    line |= {"reason": reason, "provider": "starlight"}
    run = write_run(tmp_path / "run", [line], provider="starlight", brokers=brokers)
    file.write_text("\n".join([json.dumps(event), *trace.lines]))
    main(["reproduce", str(run), "--out", str(tmp_path / "out"), "--json"])
    [told] = json.loads(capsys.readouterr().out)["reproducers"]
    assert told["outcome"] == outcome, told


def test_a_secret_never_enters_a_program(trace: Trace) -> None:
    learn("correct-horse-battery")
    trace.call("Session", SESSION, "createQueue", {"String": "***"}, gives=made(QUEUE))
    trace.held(QUEUE, "Queue")
    text = program(trace, "not refused: JMSException was expected, and nothing came")
    assert "session1.createQueue(PASSWORD)" in text
    assert 'System.getenv().getOrDefault("BROKER_PASSWORD", "")' in text


def test_a_question_that_is_asked_until_it_is_answered_is_one_wait(
    trace: Trace, tmp_path: Path
) -> None:
    trace.queue()
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageConsumer")
    for _ in range(3):
        trace.call("MessageConsumer", CONSUMER, "receiveNoWait")
    trace.call("MessageConsumer", CONSUMER, "receiveNoWait", gives=made(MESSAGE))
    trace.held(MESSAGE, "TextMessage")
    trace.call("MessageConsumer", CONSUMER, "receiveNoWait")
    assert main_of(trace, "assert 1 == 0", "1")[-3:] == [
        "TextMessage message1 = (TextMessage) soon(consumer1::receiveNoWait);",
        'comes("soon(consumer1::receiveNoWait)", message1);',
        'print("consumer1.receiveNoWait()", consumer1.receiveNoWait());',  # it may be too early
    ]
    compiles(program(trace, "assert 1 == 0", "1"), tmp_path)


def test_a_message_of_another_kind_than_was_asked_for_is_cast(trace: Trace, tmp_path: Path) -> None:
    trace.call("Session", SESSION, "createMessage", gives=made(MESSAGE))
    trace.held(MESSAGE, "TextMessage")
    trace.call("TextMessage", MESSAGE, "getText", gives={"String": "x"})
    assert main_of(trace, "assert 'x' == ''", "'x'")[0] == (
        "TextMessage message1 = (TextMessage) session1.createMessage();"
    )
    compiles(program(trace, "assert 'x' == ''", "'x'"), tmp_path)


def test_a_map_is_sent_as_a_map_though_it_is_serializable_too(trace: Trace, tmp_path: Path) -> None:
    trace.held(9, "JMSContext")
    trace.call("JMSContext", 9, "createProducer", gives=made(CONSUMER))
    trace.held(CONSUMER, "JMSProducer")
    trace.queue()
    body = {"Map": [[{"String": "k"}, {"Integer": "1"}]], "as": "java.util.Map"}
    trace.call("JMSProducer", CONSUMER, "send", made(QUEUE), body)
    trace.call("JMSContext", 9, "getSessionMode", gives={"int": "1"})
    text = program(trace, "assert 1 == 0", "1")
    for made_up in ("new javax.Nothing()", "nothing1.createSession()"):
        text = text.replace(made_up, "null")
    compiles(text.replace("javax.Nothing", "JMSContext"), tmp_path)


def test_the_place_of_a_pulsar_and_its_namespace_are_those_of_whoever_runs_the_program() -> None:
    """The run's own namespace is of nobody else; public/default is on every Pulsar."""
    place = BrokerPlace("127.0.0.1", 6650, 8080)
    values = JavaValues(place, str, str)
    assert (
        values.string("http://127.0.0.1:8080/admin")
        == '"http://" + HOST + ":" + WEB_PORT + "/admin"'
    )
    assert values.string("pulsar://127.0.0.1:6650") == '"pulsar://" + HOST + ":" + PORT'
    assert values.string("touchstone/gw0-0937a3d6") == '"public/default"'
    assert values.string("x://touchstone/main-0937a3d6/t") == '"x://public/default/t"'
    assert values.string("touchstone/of-mine") == '"touchstone/of-mine"'


def test_the_port_of_the_administration_is_asked_for_where_it_is_needed(trace: Trace) -> None:
    web = "http://127.0.0.1:8080"
    trace.lines[0] = json.dumps({**json.loads(trace.lines[0]), "admin": web})

    def arguments(name: str) -> str:
        trace.call("Session", SESSION, "unsubscribe", {"String": name})
        return JavaProgram(plan(recording(trace.lines), {}), "jakarta.jms", []).arguments

    assert arguments("orders") == "HOST PORT"
    assert arguments(web) == "HOST PORT WEB_PORT"
