"""Traces by hand of a client whose connections go through a relay."""

from __future__ import annotations

from typing import Any

from reproducing.traces_by_hand import LISTENER, MESSAGE, SESSION, Trace, made, trace_by_hand

HERE = 9876
"""The port of the relay."""
PRODUCER = 14


def linked() -> Trace:
    """One whose factory, and connection, has been told the place of a relay."""
    trace = trace_by_hand("fake.Linked")
    trace.note({"java": "relay", "number": 1, "broker": "127.0.0.1:4711",
                "here": f"127.0.0.1:{HERE}"})  # fmt: skip
    trace.note({"java": "at", "url": f"amqp://127.0.0.1:{HERE}", "admin": ""})
    trace.call("Linked", 9, "setHost", {"String": "127.0.0.1"})
    trace.call("Linked", 9, "setPort", {"int": str(HERE)})
    return trace


def fault(trace: Trace, does: str, *given: str) -> None:
    """The relay does this."""
    trace.note({"java": "fault", "number": 1, "does": does, "given": [*given]})


def sends(trace: Trace, *options: Any) -> None:
    """A message is sent, and the call comes back."""
    trace.queue()
    trace.call("Session", SESSION, "createProducer", made(11), gives=made(PRODUCER))
    trace.held(PRODUCER, "MessageProducer")
    trace.call("Session", SESSION, "createTextMessage", {"String": "x"}, gives=made(MESSAGE))
    trace.held(MESSAGE, "TextMessage")
    trace.call("MessageProducer", PRODUCER, "send", made(MESSAGE), *options)


def sends_asynchronously(trace: Trace) -> None:
    """The same with a completion listener."""
    trace.note({"java": "listener", "number": LISTENER, "as": "CompletionListener"})
    sends(trace, {"listener": LISTENER})


def completes(trace: Trace) -> None:
    """The listener is told that the send is complete."""
    event = {"java": "callback", "number": LISTENER, "method": "onCompletion"}
    trace.note(event | {"given": [made(MESSAGE)]}, thread=2)
    trace.note({"java": "returned", "number": LISTENER}, thread=2)


def never_comes_back(trace: Trace, declared: str, on: int, method: str, *, thread: int = 1) -> None:
    """A call that begins."""
    event = {"java": "call", "on": on, "as": f"jakarta.jms.{declared}", "method": method}
    trace.note(event | {"given": []}, thread)
