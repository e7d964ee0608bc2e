"""What a call through the adapter for Java clients costs above the same call by JPype alone.

Measured on messages of RabbitMQ JMS, which are made without a broker: what is timed is the way from
Python to Java and back, not the client's work.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from jms_clients.java import runtime as java_runtime
from jms_clients.java.messages import MESSAGE
from jms_clients.java.objects import Jms
from jms_clients.rabbitmq import provider

LIMIT = 20.0
"""Microseconds a call above JPype's own that are aimed at."""
_CALLS = 20_000
_TEXT = "hello, world"


@dataclass(frozen=True)
class CallCost:
    """Microseconds of one call: the median of the rounds, each way."""

    call: str
    bare: float
    adapter: float

    @property
    def above(self) -> float:
        """What the adapter adds."""
        return self.adapter - self.bare


def measure(rounds: int) -> list[CallCost]:
    """The cost of typical calls; both ways take turns, in random order, in one JVM."""
    client = provider(None, None)
    java_runtime.start(client.name, client.program, client.java_range)
    import jpype

    jms = Jms(client.namespace)
    java: Any = jpype.JClass("com.rabbitmq.jms.client.message.RMQTextMessage")()
    message: Any = MESSAGE.from_java(jms, java)
    java.setJMSPriority(4)
    message.text = _TEXT
    message.set_int_property("size", 42)
    message.set_string_property("name", _TEXT)
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "read the priority": (java.getJMSPriority, lambda: message.jms_priority),
        "read a text body": (java.getText, lambda: message.text),
        "write a text body": (
            lambda: java.setText(_TEXT),
            lambda: setattr(message, "text", _TEXT),
        ),
        "read an int property": (
            lambda: java.getIntProperty("size"),
            lambda: message.get_int_property("size"),
        ),
        "write an int property": (
            lambda: java.setIntProperty("size", 42),
            lambda: message.set_int_property("size", 42),
        ),
        "read a property of any type": (
            lambda: java.getObjectProperty("name"),
            lambda: message.get_object_property("name"),
        ),
    }
    costs = []
    for name, ways in pairs.items():
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(rounds):
            for way in random.sample((0, 1), 2):
                times[way].append(_microseconds(ways[way]))
        costs.append(CallCost(name, median(times[0]), median(times[1])))
    return costs


def _microseconds(call: Callable[[], object]) -> float:
    """The CPU time of one call, over many."""
    begun = time.thread_time()
    for _ in range(_CALLS):
        call()
    return (time.thread_time() - begun) / _CALLS * 1e6
