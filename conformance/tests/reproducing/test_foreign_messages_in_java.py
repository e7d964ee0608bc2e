"""Messages that no client made, in programs: they are read as those of the scenario are."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from java_adapter.java_fakes import api_jars
from jms_brokers.brokers.interface import BrokerAddress
from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    JMSException,
    Long,
    NullPointerException,
    NumberFormatException,
    Short,
)
from jmsapi.conversions import BODY_READS, java_text, read_as
from reproducing.traces_by_hand import CONSUMER, QUEUE, SESSION, Trace, made, trace_by_hand
from touchstone.catalogue.confirmations import ConfirmationOutcome
from touchstone.reproducing.confirming import compile_program, confirm
from touchstone.reproducing.folder import SOURCE
from touchstone.reproducing.foreign_java import READ
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.java_values import JavaValues
from touchstone.reproducing.plan import plan
from touchstone.reproducing.recording import NotExpressible, recording
from touchstone.reproducing.relays import BrokerPlace
from touchstone.reproducing.verdict_deciding import verdict_decision

pytestmark = pytest.mark.thorough

CLIENT = Path(__file__).parent / "Copies.java"
FOREIGN, PRODUCER, RECEIVED = 70, 14, 71
UNREADABLE = {"throws": "jakarta.jms.MessageFormatException"}


def entries(**values: Any) -> dict[str, Any]:
    return {"Map": [[{"String": name}, value] for name, value in values.items()]}


def sent(throws: tuple[str, ...] = ()) -> Trace:
    """A message of another provider is sent, of which one property cannot be read."""
    trace = trace_by_hand("fake.Copies")
    trace.queue()
    trace.call("Session", SESSION, "createProducer", made(QUEUE), gives=made(PRODUCER))
    trace.held(PRODUCER, "MessageProducer")
    headers = entries(JMSCorrelationID={"String": "id"}, JMSPriority={"int": "4"})
    properties = entries(number={"Integer": "7"}, odd=UNREADABLE)
    trace.note({"java": "new", "method": "foreign", "as": "TextMessage", "got": made(FOREIGN),
                "given": [headers, properties, {"String": "hello"}], "until": 0})  # fmt: skip
    trace.held(FOREIGN, "Message")
    given = made(FOREIGN) | {"class": "jdk.proxy2.$Proxy7", "as": "jakarta.jms.Message"}
    trace.call("MessageProducer", PRODUCER, "send", given, throws=throws)
    return trace


def refuses() -> tuple[Trace, str, str | None]:
    """send() throws, though what cannot be read is to be left out."""
    return sent(("jakarta.jms.MessageFormatException",)), "MessageFormatException: odd", None


def forgets() -> tuple[Trace, str, str | None]:
    """The copy has no correlation id."""
    trace = sent()
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageConsumer")
    trace.call("MessageConsumer", CONSUMER, "receive", {"long": "10"}, gives=made(RECEIVED))
    trace.held(RECEIVED, "TextMessage")
    trace.call("TextMessage", RECEIVED, "getText", gives={"String": "hello"})
    trace.call("TextMessage", RECEIVED, "getIntProperty", {"String": "number"}, gives={"int": "7"})
    trace.call("TextMessage", RECEIVED, "getJMSCorrelationID")
    return trace, "assert None == 'id'", "None"


@pytest.mark.parametrize("difference", [refuses, forgets], ids=lambda each: each.__name__)
@pytest.mark.parametrize("right", [False, True], ids=["wrong", "right"])
def test_only_the_wrong_client_shows_it(difference: Any, right: bool, tmp_path: Path) -> None:
    trace, reason, seen = difference()
    recorded = recording(trace.lines)
    signs = verdict_decision(reason, seen, recorded).signs
    text = JavaProgram(plan(recorded, signs), "jakarta.jms", ["What it shows."]).text
    (tmp_path / SOURCE).write_text(text)
    classes = tmp_path / "client"
    classes.mkdir()
    source = tmp_path / "Copies.java"
    wrong = "nothing" if right else difference.__name__
    source.write_text(CLIENT.read_text(encoding="utf-8").replace("@WRONG@", wrong))
    compile_program(source, api_jars(), classes)

    with socket.create_server(("127.0.0.1", 0)) as broker:
        url = f"amqp://127.0.0.1:{broker.getsockname()[1]}"
        address = BrokerAddress(url, "", "plain", "external", "1", "none")
        shown = confirm(tmp_path, [*api_jars(), classes], address)
    assert (shown.outcome is ConfirmationOutcome.CONFIRMED) is not right, shown.told
    assert shown.told.strip().endswith("NOT SEEN" if right else "SEEN")
    assert "it ended early" not in shown.told


def test_what_the_message_itself_shows_is_no_call_of_the_client() -> None:
    trace, _, _ = forgets()
    with pytest.raises(NotExpressible, match="what a message shows that the harness implements"):
        verdict_decision("assert 3 == 4", "3", recording(trace.lines))


def test_a_message_of_bytes_is_not_written() -> None:
    trace, reason, seen = forgets()
    recorded = recording([line.replace("TextMessage", "BytesMessage") for line in trace.lines])
    signs = verdict_decision(reason, seen, recorded).signs
    with pytest.raises(NotExpressible, match="a message of bytes is implemented by the harness"):
        JavaProgram(plan(recorded, signs), "jakarta.jms", [])


VALUES = {
    "boolean": True,
    "byte": Byte(-1),
    "short": Short(300),
    "int": Int(70_000),
    "long": Long(2**40),
    "float": Float(1.5),
    "double": Double(0.25),
    "text": "7",
    "true": "true",
    "null": None,
    "bytes": b"\x01",
    "char": Char("c"),
}
KINDS = {
    "Boolean": bool,
    "Byte": Byte,
    "Short": Short,
    "Int": Int,
    "Long": Long,
    "Float": Float,
    "Double": Double,
    "String": str,
    "Bytes": bytes,
}
JAVA = {
    "boolean": "true",
    "byte": "(byte) -1",
    "short": "(short) 300",
    "int": "70000",
    "long": "1L << 40",
    "float": "1.5f",
    "double": "0.25",
    "text": '"7"',
    "true": '"true"',
    "null": "null",
    "bytes": "new byte[] {1}",
    "char": "'c'",
}


PROGRAM = """
import jakarta.jms.*;
import java.util.*;

public class Reproducer {
    public static void main(String[] arguments) {
%s
    }

    static void show(String what, Object value, String kind) {
        String shown;
        try {
            Object read = read(value, kind);
            shown = read instanceof byte[] ? Arrays.toString((byte[]) read) : String.valueOf(read);
        } catch (Exception error) {
            shown = error.getClass().getSimpleName();
        }
        System.out.println(what + " as " + kind + ": " + shown);
    }
%s
}
"""


def read_by_python(value: Any, kind: type[Any]) -> str:
    """What is read, as Java shows it, or the name of the exception."""
    try:
        read = read_as(value, kind, BODY_READS, "it")
    except (JMSException, NumberFormatException, NullPointerException) as error:
        return type(error).__name__
    if isinstance(read, bytes):
        return str([*read])
    return "null" if read is None else read if isinstance(read, str) else java_text(read)


def test_values_are_read_as_the_scenarios_read_them(tmp_path: Path) -> None:
    pairs = [(what, kind) for what in VALUES for kind in KINDS]
    shows = [f'        show("{what}", {JAVA[what]}, "{kind}");' for what, kind in pairs]
    (tmp_path / SOURCE).write_text(PROGRAM % ("\n".join(shows), READ))
    address = BrokerAddress("amqp://127.0.0.1:1", "", "plain", "external", "1", "none")

    told = confirm(tmp_path, api_jars(), address).told

    assert told.splitlines() == [
        f"{what} as {kind}: {read_by_python(VALUES[what], KINDS[kind])}" for what, kind in pairs
    ]


def test_a_value_that_cannot_be_read_is_an_exception() -> None:
    assert JavaValues(BrokerPlace("h", 1), str, str).text(UNREADABLE) == (
        'new jakarta.jms.MessageFormatException("it cannot be read")'
    )
