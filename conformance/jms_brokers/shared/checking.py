"""What every family of brokers keeps, to be checked by whoever writes one."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from jms_brokers.brokers.interface import Broker
from jms_brokers.brokers.profiles import PLAIN
from jms_brokers.errors import BrokerError
from jms_brokers.machine.process_table import listening
from jms_brokers.shared.interface import Family
from jms_brokers.shared.named_destinations import NamedQueue
from jms_brokers.shared.probe import BrokerProbe
from jms_brokers.shared.queue_view import QueueView
from jms_brokers.shared.settings import BrokerSettings
from jmsapi import Queue

TEXTS = ("a", "é\N{GRINNING FACE}", "x" * 300_000)
_SPACE = "check/family"
_LOOPBACK = socket.inet_aton("127.0.0.1")[::-1].hex().upper()


def check_family(family: Family) -> None:
    """Start an embedded broker of the family, and hold it to what all of them promise.

    It says who it is, listens on 127.0.0.1 alone, keeps messages and address over a crash and a
    restart, leaves no folder behind, and refuses a profile that there is not; its probe counts,
    fills and empties queues.

    Raises AssertionError with what is not kept; BrokerError where none can be started here.
    """
    with tempfile.TemporaryDirectory(prefix="check-family-") as folder:
        log = Path(folder, "logs", "broker.log")
        settings = BrokerSettings(family=family.name)
        assert family.obstacle() == "", family.obstacle()
        with family.ways["embedded"](settings, PLAIN, log) as broker:
            _check_address(family, broker)
            home = _folder_of(broker)
            with _probing(family, broker) as probe:
                assert probe.round_trip() > 0, "a message goes round in no time"
                client = probe.client_address(broker.address)
                assert client.service_port == broker.address.service_port, "another broker"
                _check_queues(probe.queues)
            _check_survival(family, broker)
        assert log.exists(), "no log was written"
        assert home is None or not home.exists(), f"{home} was left behind"
    _check_refusals(family)


@contextmanager
def _probing(family: Family, broker: Broker) -> Iterator[BrokerProbe]:
    probe = family.probe(broker.address, _SPACE)
    try:
        yield probe
    finally:
        probe.close()


def _check_address(family: Family, broker: Broker) -> None:
    address = broker.address
    assert (address.family, address.way) == (family.name, "embedded"), address
    assert address.profile == PLAIN, address
    assert address.version, "its version is not known"
    assert "://127.0.0.1:" in address.service_url, address.service_url
    secrets = [each for each in (address.password, address.token) if each]
    assert not any(secret in repr(address) for secret in secrets), "a secret is shown"
    if address.pid is not None:
        places = listening(address.pid)
        assert places, "its process listens nowhere"
        assert [place for place in places if _LOOPBACK not in place] == [], "beyond 127.0.0.1"
        assert any(place.endswith(f":{address.service_port:04X}") for place in places), places


def _folder_of(broker: Broker) -> Path | None:
    """The working folder of its process, if it is one of its own."""
    if broker.address.pid is None:
        return None
    folder = Path(f"/proc/{broker.address.pid}/cwd").resolve()
    return None if folder == Path.cwd() else folder


def _check_queues(queues: QueueView) -> None:
    queue = NamedQueue("counted")
    assert queues.exists(queue) is False, "a queue that nobody made is there"
    assert (queues.pending(queue), queues.ready(queue)) == (0, 0), "a queue of nobody has messages"
    assert queues.take(queue) == [], "a queue of nobody has messages"
    _send(queues, queue, TEXTS)
    assert (queues.pending(queue), queues.ready(queue)) == (len(TEXTS),) * 2, "sent, not counted"
    assert queues.exists(queue) is True, "a queue with messages is not there"
    assert queues.take(queue) == list(TEXTS), "what is taken is not what was sent, in order"
    assert queues.pending(queue) == 0, "what was taken is still there"
    queues.send(queue, "b")
    queues.purge(queue)
    assert queues.pending(queue) == 0, "purged, and not empty"


def _check_survival(family: Family, broker: Broker) -> None:
    queue = NamedQueue("counted")  # of one that was never read some brokers count this life's sends
    texts = [str(number) for number in range(20)]
    before = broker.address.service_url
    with _probing(family, broker) as probe:
        _send(probe.queues, queue, texts)
        broker.kill()
        try:
            probe.queues.pending(queue)
        except BrokerError:
            pass
        else:
            raise AssertionError("a killed broker answers")
        broker.start()
        assert broker.address.service_url == before, "another address behind a crash"
        kept = probe.queues.take(queue)[-len(texts) :]  # what was taken before may come once more
        assert kept == texts, f"messages are lost, or out of order, in a crash: {kept}"
        _send(probe.queues, queue, texts)
    broker.restart()
    assert broker.address.service_url == before, "another address behind a restart"
    with _probing(family, broker) as probe:
        kept = probe.queues.take(queue)
        assert kept == texts, f"messages are lost, or out of order, in a restart: {kept}"


def _send(queues: QueueView, queue: Queue, texts: Sequence[str]) -> None:
    for text in texts:
        queues.send(queue, text)


def _check_refusals(family: Family) -> None:
    profile = "no-such-profile"
    try:
        family.ways["embedded"](BrokerSettings(family=family.name), profile, None)
    except BrokerError as error:
        refusal = str(error)
    else:
        refusal = "nothing is refused"
    assert profile in refusal, f"a profile that there is not: {refusal}"
