"""Programs with a relay, or a call that hangs, say SEEN of the client that is wrong so alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

import pytest

from java_adapter.java_fakes import api_jars
from jms_brokers.brokers.interface import BrokerAddress
from reproducing.linked_traces import (
    completes,
    fault,
    linked,
    never_comes_back,
    sends,
    sends_asynchronously,
)
from reproducing.traces_by_hand import CONSUMER, QUEUE, SESSION, Trace, made, trace_by_hand
from touchstone.catalogue.confirmations import ConfirmationOutcome
from touchstone.reproducing.confirming import compile_program, confirm
from touchstone.reproducing.folder import SOURCE
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.plan import plan
from touchstone.reproducing.recording import recording
from touchstone.reproducing.verdict_deciding import verdict_decision

pytestmark = pytest.mark.thorough

CLIENT = Path(__file__).parent / "Linked.java"


class SendsBack(StreamRequestHandler):
    """A broker that confirms each line by sending it back."""

    wbufsize = 0

    def handle(self) -> None:
        while line := self.rfile.read(1):
            self.wfile.write(line)


@pytest.fixture(scope="module")
def broker() -> Iterator[BrokerAddress]:
    with ThreadingTCPServer(("127.0.0.1", 0), SendsBack) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        yield BrokerAddress(f"amqp://127.0.0.1:{port}", "", "plain", "external", "1", "none")
        server.shutdown()


def tells_another() -> tuple[Trace, str]:
    """The second commit(), behind a cut, throws another exception than promised."""
    trace = linked()
    trace.call("Session", SESSION, "commit")
    fault(trace, "cut", "RST")
    trace.call("Session", SESSION, "commit", throws=["jakarta.jms.JMSException"])
    return trace, "JMSException: lost"


def falls_silent() -> tuple[Trace, str]:
    """Nothing is told of a send whose connection is lost before it is confirmed."""
    trace = linked()
    fault(trace, "stall", "TO_CLIENT")
    sends_asynchronously(trace)
    fault(trace, "down")
    return trace, "not within 10 s: the last value was False"


def tells_early() -> tuple[Trace, str]:
    """A send is complete though the broker could not have said so."""
    trace = linked()
    fault(trace, "stall", "TO_CLIENT")
    sends_asynchronously(trace)
    completes(trace)
    fault(trace, "resume", "TO_CLIENT")
    return trace, "onCompletion was called while the broker's confirmation was held back"


def returns_early() -> tuple[Trace, str]:
    """A send that has to wait comes back though the broker could not have answered."""
    trace = linked()
    fault(trace, "stall", "TO_CLIENT")
    sends(trace)
    fault(trace, "resume", "TO_BROKER", "TO_CLIENT")
    return trace, "send() returned while the broker's confirmation was held back"


def hangs() -> tuple[Trace, str]:
    """close() does not come back."""
    trace = trace_by_hand("fake.Linked")
    never_comes_back(trace, "Session", SESSION, "close")
    trace.note({"java": "ended"})
    return trace, "not within 5 s: the last value was False"


def goes_on() -> tuple[Trace, str]:
    """receive() does not come back when its session is closed by another thread."""
    trace = trace_by_hand("fake.Linked")
    trace.queue()
    trace.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
    trace.held(CONSUMER, "MessageConsumer")
    never_comes_back(trace, "MessageConsumer", CONSUMER, "receive", thread=2)
    trace.call("Session", SESSION, "close")
    trace.note({"java": "ended"})
    return trace, "not within 5 s: the last value was False"


DIFFERENCES = [tells_another, falls_silent, tells_early, returns_early, hangs, goes_on]


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("right", [False, True], ids=["wrong", "right"])
def test_only_the_wrong_client_shows_it(
    difference: Callable[[], tuple[Trace, str]],
    right: bool,
    broker: BrokerAddress,
    tmp_path: Path,
) -> None:
    trace, reason = difference()
    recorded = recording(trace.lines)
    decided = verdict_decision(reason, None, recorded)
    made_plan = plan(recorded, decided.signs, silent=decided.silent)
    text = JavaProgram(made_plan, "jakarta.jms", ["What it shows."]).text
    for long, short in (("20_000_000_000L", "1_000_000_000L"), ("stillHangs(10)", "stillHangs(1)"),
                        ("get(10, ", "get(1, ")):  # fmt: skip
        text = text.replace(long, short)
    (tmp_path / SOURCE).write_text(text)
    classes = tmp_path / "client"
    classes.mkdir()
    source = tmp_path / "Linked.java"
    wrong = "nothing" if right else difference.__name__.replace("_", " ")
    source.write_text(CLIENT.read_text(encoding="utf-8").replace("@WRONG@", wrong))
    compile_program(source, api_jars(), classes)

    shown = confirm(tmp_path, [*api_jars(), classes], broker)
    assert (shown.outcome is ConfirmationOutcome.CONFIRMED) is not right, shown.told
    assert shown.told.strip().endswith("NOT SEEN" if right else "SEEN")
    assert "it ended early" not in shown.told
