"""A trace tells every fault of a byte proxy, and that there were others."""

from __future__ import annotations

import json
import os

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.faults.byte_proxy import ByteProxy
from jms_brokers.faults.link import End
from jms_brokers.faults.relay import Relay
from jms_brokers.faults.rules import DROP, Cut, Direction, FaultError
from jms_clients.trace import Trace
from touchstone.scenario.faults import Faults
from touchstone.scenario.noted_proxy import NotedProxy

BROKER = BrokerAddress(
    "amqp://127.0.0.1:4711", "http://127.0.0.1:1", "plain", "external", "1", "none"
)
_LOOKS = {"check", "codec", "seen", "wait_for", "relayed", "listen_for", "close"}
_PROPERTIES = {"host", "port", "connections", "accepted"}
"""What changes nothing between client and broker."""


def test_every_fault_is_noted_in_its_order() -> None:
    trace = Trace()
    with Faults(BROKER, trace=trace) as faults:
        proxy, through = faults.byte_proxy()
        proxy.cut()
        proxy.cut(Cut.FIN)
        proxy.stall(Direction.TO_CLIENT)
        proxy.resume()
        proxy.delay = 0.5
        proxy.rate = None
        proxy.on(action=DROP, direction=Direction.TO_BROKER)
        proxy.fall_silent()
        proxy.half_open(End.CLIENT)
        proxy.heal()
        proxy.down()
        proxy.up()
        assert (proxy.delay, proxy.rate) == (0.5, None)

    made, *done = map(json.loads, trace.calls.lines())
    here = through.service_url.removeprefix("amqp://")
    assert (made["java"], made["broker"], made["here"]) == ("relay", "127.0.0.1:4711", here)
    assert [(each["number"], each["does"], *each["given"]) for each in done] == [
        (1, "cut", "RST"),
        (1, "cut", "FIN"),
        (1, "stall", "TO_CLIENT"),
        (1, "resume", "TO_BROKER", "TO_CLIENT"),
        (1, "delay", "0.5"),
        (1, "rate", "None"),
        (1, "on", "Drop()"),
        (1, "fall_silent"),
        (1, "half_open", "CLIENT"),
        (1, "heal"),
        (1, "down"),
        (1, "up"),
    ]
    events = [json.loads(line) for line in trace.lines()]
    assert [event["what"] for event in events] == ["start", *(each["does"] for each in done)]
    assert {event["on"] for event in events} == {"byte proxy"}


def test_no_control_of_a_proxy_goes_unnoted() -> None:
    controls = {name for kind in (Relay, ByteProxy) for name in vars(kind) if name[0] != "_"}
    noted = {name for name in vars(NotedProxy) if name[0] != "_"} | {"delay", "rate"}
    assert controls - _LOOKS - _PROPERTIES == noted


def test_faults_of_other_kinds_are_noted_by_their_kind() -> None:
    trace = Trace()
    with Faults(BROKER, trace=trace) as faults:
        faults.admin_proxy()
        with pytest.raises(FaultError, match="not started by this one"):
            faults.process(os.getpid())

    events = [json.loads(line) for line in trace.lines()]
    assert [(each["on"], each["what"]) for each in events] == [
        ("faults", "admin proxy"),
        ("faults", "process"),
    ]
