"""Traces of calls of Java that are written by hand, and programs made of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from java_adapter.java_fakes import api_jars
from touchstone.reproducing.confirming import compile_program

AT = {"java": "at", "url": "amqp://127.0.0.1:4711"}
SESSION, QUEUE, MESSAGE, CONSUMER, LISTENER = 10, 11, 12, 13, 1


class Trace:
    """A trace that is written by hand: each call takes two moments, on one thread."""

    def __init__(self) -> None:
        self.moment = 0
        self.lines: list[str] = []
        self.note(AT)
        self.call("Connection", 9, "createSession", gives=made(SESSION))
        self.held(SESSION, "Session")

    def note(self, event: dict[str, Any], thread: int = 1) -> None:
        self.moment += 1
        self.lines.append(
            json.dumps(event | {"moment": self.moment, "thread": thread, "at": self.moment / 1000})
        )

    def call(
        self, declared: str, on: int, method: str, *given: Any, gives: Any = None,
        throws: Sequence[str] = (), thread: int = 1, takes: int = 1,
    ) -> None:  # fmt: skip
        end: dict[str, Any] = {"threw": list(throws)} if throws else {"got": gives}
        self.note(
            {"java": "call", "on": on, "as": f"jakarta.jms.{declared}", "method": method,
             "given": list(given), "until": self.moment + 1 + takes, **end},
            thread,
        )  # fmt: skip
        self.moment += takes == 1

    def held(self, number: int, interface: str) -> None:
        self.note({"java": "held", "object": number, "as": interface})

    def failed(self, *ids: str) -> None:
        """What judges these has failed, and the scenario goes on."""
        self.note({"java": "failed", "ids": ids})

    def finding(self, *ids: str) -> None:
        self.note({"java": "finding", "ids": ids})

    def step(self, words: str) -> None:
        self.note({"java": "step", "words": words})

    def shown(
        self,
        words: str,
        raised: str | None = None,
        *,
        nothing: bool = False,
        permitted: str = "nothing else",
    ) -> None:
        event = {"java": "shown", "words": words, "permitted": permitted}
        self.note(event | {"raised": raised, "nothing": nothing})

    def sends(self, number: int) -> None:
        """The step in which a message of this number is sent to the queue."""
        message, producer = 100 + number, 200 + number
        self.step(f"s0.send(q0, {number})")
        self.call("Session", SESSION, "createTextMessage", {"String": "x"}, gives=made(message))
        self.held(message, "TextMessage")
        given = {"String": "number"}, {"int": str(number)}
        self.call("TextMessage", message, "setIntProperty", *given)
        self.call("Session", SESSION, "createProducer", made(QUEUE), gives=made(producer))
        self.held(producer, "MessageProducer")
        self.call("MessageProducer", producer, "send", made(message))

    def consumer(self) -> None:
        """The step in which a consumer of the queue is made."""
        self.step("k0 = s0.create_consumer(q0)")
        self.queue()
        self.call("Session", SESSION, "createConsumer", made(QUEUE), gives=made(CONSUMER))
        self.held(CONSUMER, "MessageConsumer")

    def listens(self) -> None:
        """The step in which that gets a listener."""
        self.step("k0.listen()")
        self.note({"java": "listener", "number": LISTENER, "as": "MessageListener"})
        self.call("MessageConsumer", CONSUMER, "setMessageListener", {"listener": LISTENER})

    def reads_number(self, message: int, number: int, thread: int = 1) -> None:
        """What a message says of its number."""
        self.held(message, "TextMessage")
        given = {"String": "number"}
        self.call("TextMessage", message, "getIntProperty", given, gives={"int": str(number)},
                  thread=thread)  # fmt: skip

    def hears(self, message: int, number: int) -> None:
        """The steps in which the listener is called with a message, and comes to its end."""
        callback = {"java": "callback", "number": LISTENER, "method": "onMessage"}
        self.note(callback | {"given": [made(message)]}, thread=2)
        self.step("m0 = s0.hear()")
        self.reads_number(message, number, thread=2)
        self.step("m0.returns()")
        self.note({"java": "returned", "number": LISTENER}, thread=2)

    def queue(self, name: str = "queue_0123456789ab") -> None:
        self.call("Session", SESSION, "createQueue", {"String": name}, gives=made(QUEUE))
        self.held(QUEUE, "Queue")


def made(number: int) -> dict[str, object]:
    return {"object": number, "class": "org.example.Thing", "as": "org.example.Thing"}


def trace_by_hand(factory: str = "javax.Nothing") -> Trace:
    """One whose session comes from a connection that the program makes."""
    written = Trace()
    event = {"java": "new", "method": factory, "given": [], "got": made(9), "until": 0}
    written.lines.insert(1, json.dumps(event | {"moment": 0, "thread": 1, "at": 0.0}))
    written.held(9, "Connection")
    return written


def compiles(text: str, folder: Path) -> None:
    source = folder / "Reproducer.java"
    source.write_text(
        text.replace("new javax.Nothing()", "null").replace("javax.Nothing", "Connection")
    )
    compile_program(source, api_jars(), folder)


def falls_silent(trace: Trace) -> None:
    """A listener is not called a second time."""
    trace.consumer()
    trace.listens()
    trace.sends(1)
    trace.hears(300, 1)
    trace.sends(2)
    trace.step("m1 = s0.hear()")
    trace.shown("m1 = s0.hear()", nothing=True)
