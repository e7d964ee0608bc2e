"""What the frames of a protocol tell about a connection that is cut."""

from __future__ import annotations

import pytest

from jms_brokers.families.pulsar.cuts import PulsarCutFrames
from jms_brokers.faults.rules import Direction, Frame
from jms_brokers.shared.cut_frames import Point
from touchstone.errors import HarnessError
from touchstone.scenario.cuts import cut_frames

PULSAR = PulsarCutFrames()


def sent(
    kind: str,
    connection: int = 1,
    *,
    request: int | None = None,
    text: str = "",
    **fields: object,
) -> Frame:
    """A frame of the client."""
    return Frame(
        Direction.TO_BROKER, kind, connection, 100, request, fields, b"\x0e" + text.encode()
    )


def told(
    kind: str,
    connection: int = 1,
    *,
    request: int | None = None,
    text: str = "",
    **fields: object,
) -> Frame:
    """A frame of the broker."""
    return Frame(
        Direction.TO_CLIENT, kind, connection, 100, request, fields, b"\x0e" + text.encode()
    )


@pytest.mark.parametrize(
    ("point", "frame"),
    [
        (Point.SEND, sent("SEND")),
        (Point.CONFIRMATION, told("SEND_RECEIPT")),
        (Point.COMMIT, sent("END_TXN")),
        (Point.COMMIT_REPLY, told("END_TXN_RESPONSE")),
    ],
)
def test_each_point_is_one_frame_of_pulsar(point: Point, frame: Frame) -> None:
    others = [other for other in Point if other is not point]

    assert PULSAR.is_at(point, frame)
    assert not any(PULSAR.is_at(other, frame) for other in others)


def test_what_the_broker_confirmed_is_attached_until_it_is_closed() -> None:
    frames = [
        sent("PRODUCER", request=1, producer_id=7),
        told("PRODUCER_SUCCESS", request=1),
        sent("SUBSCRIBE", request=2, consumer_id=7),
        told("SUCCESS", request=2),
        sent("SUBSCRIBE", request=3, consumer_id=8),
        sent("TC_CLIENT_CONNECT_REQUEST", request=4),
        told("TC_CLIENT_CONNECT_RESPONSE", request=4),
    ]
    closed = [sent("CLOSE_CONSUMER", request=5, consumer_id=7), told("SUCCESS", request=5)]

    assert PULSAR.attached(frames) == {
        ("PRODUCER", 7),
        ("SUBSCRIBE", 7),
        ("TC_CLIENT_CONNECT_REQUEST", 0),
    }
    assert ("SUBSCRIBE", 7) not in PULSAR.attached([*frames, *closed])


def test_a_request_of_another_connection_is_not_confirmed() -> None:
    frames = [sent("PRODUCER", 1, request=1, producer_id=7), told("PRODUCER_SUCCESS", 2, request=1)]

    assert PULSAR.attached(frames) == frozenset()


def test_transfers_and_confirmations_of_a_message_are_found_by_its_text() -> None:
    lost = sent("SEND", 1, text="m1", producer_id=7, sequence_id=3)
    again = sent("SEND", 2, text="m1", producer_id=7, sequence_id=3)
    other = sent("SEND", 2, text="m2", producer_id=7, sequence_id=4)
    receipt = told("SEND_RECEIPT", 2, producer_id=7, sequence_id=3)
    frames = [lost, again, other, receipt]

    assert PULSAR.transfers(frames, "m1") == [lost, again]
    assert PULSAR.confirmations(frames, "m1") == [receipt]
    assert PULSAR.confirmations(frames, "m2") == []


def test_acknowledgements_of_a_message_are_found_by_its_position() -> None:
    frames = [
        told("MESSAGE", text="m1", message_id=((5, 0),)),
        told("MESSAGE", text="m2", message_id=((5, 1),)),
        sent("ACK", message_id=((5, 1), (5, 2))),
    ]

    assert PULSAR.acknowledgements(frames, "m1") == []
    assert PULSAR.acknowledgements(frames, "m2") == frames[2:]


def test_a_send_timeout_is_starlights_setting() -> None:
    assert PULSAR.settings(0.5, True) == {"producerConfig": {"sendTimeoutMs": 500}}
    assert PULSAR.settings(None, True) == {}
    assert PULSAR.settings(None, False) == {"producerConfig": {"sendTimeoutMs": 2000}}


def test_a_family_without_frames_is_refused_by_name() -> None:
    with pytest.raises(HarnessError, match="protocol of rabbitmq"):
        cut_frames("rabbitmq")
