"""The faults of a scenario on a real broker."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace

import _pulsar as native
import pulsar as client_library
import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.faults.rules import HOLD, FaultError
from touchstone.scenario.faults import Faults


def send(broker: BrokerAddress) -> None:
    quiet = client_library.ConsoleLogger(native.LoggerLevel.Error)
    with closing(client_library.Client(broker.service_url, logger=quiet)) as client:
        client.create_producer("persistent://public/default/faults-interface").send(b"m")


def test_a_proxy_comes_with_the_broker_as_it_is_seen_through_it(pulsar: BrokerAddress) -> None:
    with Faults(pulsar) as faults:
        bytes_, through_bytes = faults.byte_proxy()
        frames, through_frames = faults.frame_proxy()
        assert through_bytes == replace(pulsar, service_url=f"pulsar://{bytes_.host}:{bytes_.port}")
        send(through_bytes)
        send(through_frames)
        assert bytes_.accepted > 0
        assert len(frames.seen("SEND_RECEIPT")) == 1
        hold = frames.on("SEND_RECEIPT", action=HOLD)
        sending = threading.Thread(target=send, args=(through_frames,))
        sending.start()
        hold.wait_for_hit(10)
        hold.release()
        sending.join(10)


def test_everything_ends_with_the_scenario(pulsar: BrokerAddress) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        with Faults(pulsar) as faults:
            proxy, _ = faults.byte_proxy()
            process = faults.process(child.pid)
            process.pause()
        with pytest.raises(FaultError, match="closed"):
            proxy.cut()
        assert not {each.name for each in threading.enumerate()} & {f"fault-proxy-{proxy.port}"}
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.close()
        assert child.wait(10) == 0


def test_what_has_no_proxy_is_refused(pulsar: BrokerAddress) -> None:
    with Faults(replace(pulsar, service_url="pulsar+ssl://localhost:6651")) as faults:
        with pytest.raises(FaultError, match="byte proxy"):
            faults.frame_proxy()
        _, through = faults.byte_proxy()
        assert through.service_url.startswith("pulsar+ssl://127.0.0.1:")
    foreign, unnamed = replace(pulsar, family="rabbitmq"), replace(pulsar, service_url="nonsense")
    with Faults(foreign) as faults, pytest.raises(FaultError, match="rabbitmq"):
        faults.frame_proxy()
    with Faults(unnamed) as faults, pytest.raises(FaultError, match="no host and port"):
        faults.byte_proxy()
