"""Programs for findings say SEEN of the client that is wrong so, and NOT SEEN of the right one."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from java_adapter.java_fakes import api_jars
from jms_brokers.brokers.interface import BrokerAddress
from reproducing.traces_by_hand import CONSUMER, SESSION, Trace, falls_silent, made, trace_by_hand
from touchstone.catalogue.confirmations import ConfirmationOutcome
from touchstone.reproducing.confirming import compile_program, confirm
from touchstone.reproducing.deciding import decision
from touchstone.reproducing.folder import SOURCE
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.plan import plan, section_plan
from touchstone.reproducing.recording import java_events, recording
from touchstone.reproducing.section import section_calls, sections

pytestmark = pytest.mark.thorough

CLIENT = Path(__file__).parent / "Factory.java"


def address(port: int) -> BrokerAddress:
    """Of a broker with an administration, which these programs have no use for."""
    web = "http://127.0.0.1:1"
    return BrokerAddress(f"amqp://127.0.0.1:{port}", web, "plain", "external", "1", "none")


def turns_round(trace: Trace) -> None:
    """The message that was sent last comes first."""
    trace.consumer()
    trace.sends(1)
    trace.sends(2)
    trace.step("m0 = k0.receive()")
    trace.call("MessageConsumer", CONSUMER, "receive", {"long": "10000"}, gives=made(300))
    trace.reads_number(300, 2)
    trace.shown("m0 = k0.receive()")


def refuses(trace: Trace) -> None:
    """It throws a JMSException where it has to throw one of a class below that."""
    trace.step("s0.recover()")
    trace.call("Session", SESSION, "recover", throws=["jakarta.jms.JMSException"])
    trace.shown("s0.recover()", "JMSException")


@pytest.mark.parametrize("finding", [turns_round, falls_silent, refuses], ids=lambda f: f.__name__)
@pytest.mark.parametrize("right", [False, True], ids=["wrong", "right"])
def test_only_the_wrong_client_shows_it(
    finding: Callable[[Trace], None], right: bool, tmp_path: Path
) -> None:
    trace = trace_by_hand("fake.Factory")
    trace.finding("JMS-THIS-001")
    finding(trace)
    [section] = sections(java_events(trace.lines))
    part = section_calls(recording(trace.lines), section)
    made_plan = section_plan(part, section, decision(section, part))
    text = JavaProgram(made_plan, "jakarta.jms", ["What it shows."]).text
    (tmp_path / SOURCE).write_text(text.replace("20_000_000_000L", "1_000_000_000L"))

    classes = tmp_path / "client"
    classes.mkdir()
    source = tmp_path / "Factory.java"
    wrong = "nothing" if right else finding.__name__.replace("_", " ")
    source.write_text(CLIENT.read_text(encoding="utf-8").replace("@WRONG@", wrong))
    compile_program(source, api_jars(), classes)

    with socket.create_server(("127.0.0.1", 0)) as broker:
        shown = confirm(tmp_path, [*api_jars(), classes], address(broker.getsockname()[1]))
    assert (shown.outcome is ConfirmationOutcome.CONFIRMED) is not right, shown.told
    assert shown.told.strip().endswith("NOT SEEN" if right else "SEEN")
    assert "it ended early" not in shown.told


def test_without_a_broker_nothing_is_seen_or_not_seen(tmp_path: Path) -> None:
    trace = trace_by_hand("fake.Factory")
    program = JavaProgram(plan(recording(trace.lines), {}), "jakarta.jms", ["What it shows."])
    (tmp_path / SOURCE).write_text(program.text)
    compile_program(CLIENT, api_jars(), tmp_path)

    shown = confirm(tmp_path, [*api_jars(), tmp_path], address(1))
    assert shown.outcome is ConfirmationOutcome.NOT_CONFIRMED
    assert shown.told == "No broker answers at 127.0.0.1:1\n"
