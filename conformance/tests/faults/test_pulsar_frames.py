"""The codec of Pulsar's frames, by properties and by vectors that other software made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jms_brokers.families.pulsar.protocol import frames as pulsar_frames
from jms_brokers.families.pulsar.protocol import protobuf
from jms_brokers.families.pulsar.protocol.frames import (
    PulsarCommand,
    PulsarFrameError,
    Splitter,
    Value,
)
from jms_brokers.families.pulsar.protocol.proxy import host_and_port
from jms_brokers.families.pulsar.protocol.types import TYPES, FieldKind, ServerError
from jms_brokers.faults.rules import FaultError

numbers = st.integers(0, 2**64 - 1)
VALUES: dict[FieldKind, st.SearchStrategy[Value]] = {
    FieldKind.NUMBER: numbers,
    FieldKind.TEXT: st.sampled_from(
        ["", "persistent://public/default/t", "é\N{GRINNING FACE}", "x" * 200]
    ),
    FieldKind.MESSAGE_IDS: st.lists(st.tuples(numbers, numbers), min_size=1, max_size=3).map(tuple),
}


@st.composite
def commands(draw: st.DrawFn) -> PulsarCommand:
    name = draw(st.sampled_from(sorted(TYPES)))
    fields = {field: VALUES[kind] for field, (_, kind) in TYPES[name].fields.items()}
    return PulsarCommand(name, draw(st.fixed_dictionaries({}, optional=fields)))


@given(commands(), st.binary(max_size=50))
def test_a_frame_survives_the_round_trip(command: PulsarCommand, payload: bytes) -> None:
    raw = pulsar_frames.frame(pulsar_frames.encode(command), payload)
    assert int.from_bytes(raw[:4], "big") == len(raw) - 4
    body, rest = pulsar_frames.parts(raw)
    assert (pulsar_frames.decode(body), rest) == (command, payload)


@given(st.lists(st.tuples(commands(), st.binary(max_size=200)), max_size=6), st.data())
def test_frames_are_found_however_the_bytes_arrive(
    wanted: list[tuple[PulsarCommand, bytes]], data: st.DataObject
) -> None:
    raws = [pulsar_frames.frame(pulsar_frames.encode(each), payload) for each, payload in wanted]
    stream = b"".join(raws)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=10).map(sorted))
    splitter = Splitter()
    frames: list[bytes] = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        frames += splitter.feed(stream[start:end])
    assert frames == raws


@given(st.lists(st.tuples(st.integers(1, 2**29 - 1), numbers | st.binary(max_size=20))))
def test_protobuf_fields_are_read_in_their_order(fields: list[tuple[int, int | bytes]]) -> None:
    message = b"".join(protobuf.write_field(number, value) for number, value in fields)
    read = list(protobuf.fields(message))
    assert [(each.number, each.value) for each in read] == fields
    assert "".join(message[each.start : each.end].hex() for each in read) == message.hex()


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(noise: bytes) -> None:
    try:
        command = pulsar_frames.decode(noise)
    except PulsarFrameError:
        return
    if command.type in TYPES:
        assert pulsar_frames.decode(pulsar_frames.encode(command)) == command
    else:
        assert command.type.startswith("TYPE_")


@given(commands(), st.integers(0, 100))
def test_a_cut_command_is_refused_or_ends_between_two_fields(
    command: PulsarCommand, at: int
) -> None:
    body = pulsar_frames.encode(command)
    boundaries = {0, *(each.end for each in protobuf.fields(body))}
    if at < len(body) and at not in boundaries:
        with pytest.raises(PulsarFrameError):
            pulsar_frames.decode(body[:at])


def test_protobuf_as_its_documentation_writes_it() -> None:
    assert protobuf.write_field(1, 150).hex() == "089601"
    assert protobuf.write_field(2, b"testing").hex() == "120774657374696e67"
    fixed = bytes.fromhex("0d01000000" + "110200000000000000")
    assert [(each.number, each.value) for each in protobuf.fields(fixed)] == [(1, 1), (2, 2)]
    with pytest.raises(protobuf.ProtobufError, match="wire type 3"):
        list(protobuf.fields(b"\x0b"))
    with pytest.raises(protobuf.ProtobufError, match="64 bits"):
        list(protobuf.fields(b"\x08" + b"\xff" * 10))


def test_frames_as_a_broker_and_its_client_send_them() -> None:
    ping = bytes.fromhex("00000009000000050812920100")
    assert pulsar_frames.decode(pulsar_frames.parts(ping)[0]) == PulsarCommand("PING")
    assert pulsar_frames.frame(pulsar_frames.encode(PulsarCommand("PING"))) == ping


def test_what_is_no_pulsar_is_refused() -> None:
    with pytest.raises(PulsarFrameError, match="TLS needs the byte proxy"):
        Splitter().feed(bytes.fromhex("160301020001"))
    with pytest.raises(PulsarFrameError, match="sizes"):
        pulsar_frames.parts(bytes.fromhex("00000005000000ff00"))
    for size in range(8):
        with pytest.raises(PulsarFrameError, match=f"a frame of {size} bytes"):
            pulsar_frames.parts(bytes(size))
    with pytest.raises(PulsarFrameError, match="cut short"):
        pulsar_frames.decode(b"\x08")
    with pytest.raises(PulsarFrameError, match="without a type"):
        pulsar_frames.decode(b"")
    with pytest.raises(PulsarFrameError, match="no command of type NOPE"):
        pulsar_frames.encode(PulsarCommand("NOPE"))
    with pytest.raises(PulsarFrameError, match=r"SEND\.producer_id cannot hold"):
        pulsar_frames.encode(PulsarCommand("SEND", {"producer_id": "one"}))


def test_a_type_that_is_too_new_keeps_its_number() -> None:
    assert pulsar_frames.decode(bytes.fromhex("0863")).type == "TYPE_99"


ERRORS = [
    (PulsarCommand("SEND", {"producer_id": 3, "sequence_id": 4}), "SEND_ERROR"),
    (PulsarCommand("SEND_RECEIPT", {"producer_id": 3, "sequence_id": 4}), "SEND_ERROR"),
    (PulsarCommand("ACK", {"consumer_id": 1, "request_id": 9}), "ACK_RESPONSE"),
    (PulsarCommand("ACK_RESPONSE", {"consumer_id": 1, "request_id": 9}), "ACK_RESPONSE"),
    (PulsarCommand("PRODUCER", {"producer_id": 3, "request_id": 9}), "ERROR"),
    (PulsarCommand("PRODUCER_SUCCESS", {"request_id": 9}), "ERROR"),
    (PulsarCommand("SUBSCRIBE", {"consumer_id": 3, "request_id": 9}), "ERROR"),
    (PulsarCommand("GET_LAST_MESSAGE_ID", {"consumer_id": 3, "request_id": 9}), "ERROR"),
    (PulsarCommand("LOOKUP", {"topic": "t", "request_id": 9}), "LOOKUP_RESPONSE"),
    (
        PulsarCommand("PARTITIONED_METADATA", {"topic": "t", "request_id": 9}),
        "PARTITIONED_METADATA_RESPONSE",
    ),
    (PulsarCommand("GET_SCHEMA", {"request_id": 9}), "GET_SCHEMA_RESPONSE"),
    (PulsarCommand("NEW_TXN", {"request_id": 9}), "NEW_TXN_RESPONSE"),
    (PulsarCommand("TC_CLIENT_CONNECT_REQUEST", {"request_id": 9}), "TC_CLIENT_CONNECT_RESPONSE"),
    (PulsarCommand("CONNECT", {"client_version": "c"}), "ERROR"),
]


@pytest.mark.parametrize(("request_", "answer"), ERRORS, ids=lambda each: getattr(each, "type", ""))
def test_an_error_answers_the_request(request_: PulsarCommand, answer: str) -> None:
    raw = pulsar_frames.error_answer(request_, ServerError.ServiceNotReady, "not now")
    command = pulsar_frames.decode(pulsar_frames.parts(raw)[0])
    assert command.type == answer
    assert ServerError.ServiceNotReady in command.fields.values()
    assert "not now" in command.fields.values()
    ids = {"producer_id", "sequence_id"} if answer == "SEND_ERROR" else {"request_id"}
    if request_.type != "CONNECT":
        assert all(command.fields[key] == request_.fields[key] for key in ids)


def test_a_failed_lookup_says_so() -> None:
    for request, failed in (("LOOKUP", 2), ("PARTITIONED_METADATA", 1)):
        raw = pulsar_frames.error_answer(
            PulsarCommand(request, {"request_id": 9}), ServerError.TopicNotFound, ""
        )
        assert pulsar_frames.decode(pulsar_frames.parts(raw)[0]).fields["response"] == failed


def test_a_command_without_an_answer_cannot_be_refused() -> None:
    for command in (
        PulsarCommand("FLOW", {"consumer_id": 1}),
        PulsarCommand("ACK", {"consumer_id": 1}),
    ):
        with pytest.raises(PulsarFrameError, match="cannot be answered"):
            pulsar_frames.error_answer(command, ServerError.UnknownError, "")


def lookup_answer(**fields: Value) -> bytes:
    return pulsar_frames.frame(pulsar_frames.encode(PulsarCommand("LOOKUP_RESPONSE", fields)))


def readdressed(raw: bytes) -> PulsarCommand:
    command = pulsar_frames.decode(pulsar_frames.parts(raw)[0])
    changed = pulsar_frames.readdress(raw, command, lambda url: url.replace("there", "here"))
    assert Splitter().feed(changed) == [changed]
    return pulsar_frames.decode(pulsar_frames.parts(changed)[0])


def test_a_lookup_answer_gets_the_address_of_the_proxy() -> None:
    raw = lookup_answer(
        response=1, request_id=300, broker_service_url="pulsar://there:1", authoritative=1
    )
    assert readdressed(raw).fields == {
        "response": 1,
        "request_id": 300,
        "broker_service_url": "pulsar://here:1",
        "authoritative": 1,
    }


def test_answers_that_need_no_new_address_stay_as_they_are() -> None:
    for raw in (
        lookup_answer(
            response=1,
            request_id=1,
            broker_service_url="pulsar://there:1",
            proxy_through_service_url=1,
        ),
        lookup_answer(response=2, request_id=1, error=5, message="failed"),
        pulsar_frames.frame(pulsar_frames.encode(PulsarCommand("SUCCESS", {"request_id": 1}))),
    ):
        command = pulsar_frames.decode(pulsar_frames.parts(raw)[0])
        assert pulsar_frames.readdress(raw, command, lambda url: "elsewhere") is raw


def test_fields_that_nobody_asks_for_survive_a_new_address() -> None:
    body = (
        protobuf.write_field(1, b"pulsar://there:1")
        + protobuf.write_field(4, 7)
        + protobuf.write_field(99, b"of a later version")
    )
    raw = pulsar_frames.frame(protobuf.write_field(1, 24) + protobuf.write_field(24, body))
    command = pulsar_frames.decode(pulsar_frames.parts(raw)[0])
    changed = pulsar_frames.readdress(raw, command, lambda url: "pulsar://here:22")
    (outer,) = (
        each.value for each in protobuf.fields(pulsar_frames.parts(changed)[0]) if each.number == 24
    )
    assert isinstance(outer, bytes)
    assert {each.number: each.value for each in protobuf.fields(outer)} == {
        1: b"pulsar://here:22",
        4: 7,
        99: b"of a later version",
    }


@pytest.mark.parametrize(
    "url", ["pulsar+ssl://h:6651", "pulsar://", "pulsar://[", "pulsar://h:none", "pulsar://h:99999"]
)
def test_only_addresses_without_tls_can_be_stood_in_front_of(url: str) -> None:
    with pytest.raises(FaultError, match="cannot stand in front of"):
        host_and_port(url)
