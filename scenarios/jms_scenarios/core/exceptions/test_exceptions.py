"""Exceptions: which one tells what went wrong, and what it leaves as it was."""

import pytest

from jms_scenarios.core.body_access import READS, WRITES
from jmsapi import (
    Destination,
    IllegalStateException,
    IllegalStateRuntimeException,
    Int,
    InvalidDestinationException,
    JMSException,
    MessageEOFException,
    MessageFormatException,
    MessageFormatRuntimeException,
    MessageNotReadableException,
    MessageNotWriteableException,
    NumberFormatException,
    SessionMode,
    TransactionInProgressException,
)
from touchstone.api import compose, needs, refuses, requirement

UNTRANSACTED = [mode for mode in SessionMode if mode != SessionMode.SESSION_TRANSACTED]
in_order = pytest.mark.parametrize("kind", ["bytes", "stream"])
PLAIN = {"bytes": b"\x01\x02\x03\x04", "stream": [Int(1), Int(2)]}
"""A body of each kind that is read in order, four bytes or two items long."""


class Nowhere(Destination):
    """A destination that is of no client, and neither a queue nor a topic."""


@requirement("JMS-ERR-001")
@pytest.mark.parametrize("mode", UNTRANSACTED, ids=lambda mode: mode.name.lower())
def test_session_without_a_transaction_ends_none(jms, mode):
    """commit() and rollback() raise IllegalStateException."""
    session = jms.session(mode)

    with refuses(IllegalStateException):
        session.commit()
    with refuses(IllegalStateException):
        session.rollback()


@requirement("JMS-ERR-001")
def test_context_without_a_transaction_ends_none(jms):
    """commit() and rollback() raise the runtime form."""
    context = jms.context()

    with refuses(IllegalStateRuntimeException):
        context.commit()
    with refuses(IllegalStateRuntimeException):
        context.rollback()


UNUSABLE = {
    "producer": lambda session: session.create_producer(Nowhere()),
    "consumer": lambda session: session.create_consumer(Nowhere()),
    "consumer-of-null": lambda session: session.create_consumer(None),
}


@requirement("JMS-ERR-002")
@pytest.mark.parametrize("make", UNUSABLE.values(), ids=UNUSABLE)
def test_destination_that_is_none_is_refused(jms, make):
    """Neither a producer nor a consumer is made for what is no destination of the client."""
    session = jms.session()

    with refuses(InvalidDestinationException):
        make(session)


@requirement("JMS-ERR-002")
def test_destination_that_is_gone_is_refused(jms):
    """A send to a temporary queue that was deleted raises InvalidDestinationException."""
    session = jms.session()
    gone = session.create_temporary_queue()
    producer = session.create_producer(None)
    gone.delete()

    with refuses(InvalidDestinationException):
        producer.send(session.create_text_message("late"), destination=gone)


@in_order
@requirement("JMS-ERR-003")
def test_nothing_is_read_beyond_the_end(jms, delivered, kind):
    """Behind the last of a body each typed read raises MessageEOFException."""
    received = read_to_its_end(delivered(compose(jms.session(), kind, PLAIN[kind])), kind)

    for read in READS[kind].values():
        with refuses(MessageEOFException):
            read(received)


@requirement("JMS-ERR-003")
def test_no_bytes_are_read_beyond_the_end(jms, delivered):
    """Behind the last byte a read into an array gives nothing, and raises nothing."""
    received = read_to_its_end(delivered(compose(jms.session(), "bytes", PLAIN["bytes"])), "bytes")

    assert received.read_bytes(4) is None


@requirement("JMS-ERR-003")
def test_no_array_is_read_beyond_the_end_of_a_stream(jms, delivered):
    """Behind the last item a read into an array raises MessageEOFException."""
    stream = delivered(compose(jms.session(), "stream", PLAIN["stream"]))

    with refuses(MessageEOFException):
        read_to_its_end(stream, "stream").read_bytes(4)


def read_to_its_end(message, kind):
    """The message, all of whose body was read."""
    for _ in range(2):
        READS[kind]["short" if kind == "bytes" else "int"](message)
    return message


@requirement("JMS-ERR-003")
def test_part_of_a_number_is_none(jms, delivered):
    """An int of which two bytes are there raises MessageEOFException."""
    received = delivered(compose(jms.session(), "bytes", b"\x01\x02"))

    with refuses(MessageEOFException):
        received.read_int()


UNKNOWN = {
    "stream": lambda session: session.create_stream_message().write_object(object()),
    "map": lambda session: session.create_map_message().set_object("k", [Int(1)]),
    "bytes": lambda session: session.create_bytes_message().write_object(object()),
    "property": lambda session: session.create_message().set_object_property("p", [Int(1)]),
}


@requirement("JMS-ERR-004")
@pytest.mark.parametrize("write", UNKNOWN.values(), ids=UNKNOWN)
def test_value_of_another_type_is_refused(jms, write):
    """What no message can hold raises MessageFormatException when it is set."""
    session = jms.session()

    with refuses(MessageFormatException):
        write(session)


@requirement("JMS-ERR-004")
def test_body_of_another_type_is_refused(jms, queue):
    """A producer of a context refuses a map of lists by the runtime form."""
    producer = jms.context().create_producer()

    with refuses(MessageFormatRuntimeException):
        producer.send(queue, {"k": [Int(1)]})


AS_ANOTHER_TYPE = {
    "stream": lambda message: message.read_short(),
    "map": lambda message: message.get_int("k"),
    "property": lambda message: message.get_int_property("p"),
}


@pytest.fixture
def holding(jms, delivered):
    """`holding(where, value)`: a received message with a value in its body or as its property."""
    session = jms.session()

    def holding(where, value):
        if where == "stream":
            return delivered(compose(session, "stream", [value]))
        message = compose(session, "map", {"k": value})
        if where == "property":
            message.set_object_property("p", value)
        return delivered(message)

    return holding


@requirement("JMS-ERR-005")
@pytest.mark.parametrize(("where", "read"), AS_ANOTHER_TYPE.items(), ids=AS_ANOTHER_TYPE)
def test_value_that_cannot_become_the_type_is_refused(holding, where, read):
    """A boolean of a stream or of a property is no number, nor is an array of a map."""
    message = holding(where, b"\x01" if where == "map" else True)

    with refuses(MessageFormatException):
        read(message)


@requirement("JMS-ERR-005")
@pytest.mark.parametrize(("where", "read"), AS_ANOTHER_TYPE.items(), ids=AS_ANOTHER_TYPE)
def test_text_that_is_no_number_is_told_from_a_wrong_type(holding, where, read):
    """It raises NumberFormatException."""
    message = holding(where, "x1")

    with refuses(NumberFormatException):
        read(message)


@in_order
@requirement("JMS-ERR-006")
def test_body_that_is_written_is_not_read(jms, kind):
    """Each read raises MessageNotReadableException until reset(), and none behind it."""
    message = compose(jms.session(), kind, PLAIN[kind])

    for read in READS[kind].values():
        with refuses(MessageNotReadableException):
            read(message)
    with refuses(MessageNotReadableException):
        message.read_bytes(4)

    message.reset()
    first = READS[kind]["int"](message)
    assert first == (0x01020304 if kind == "bytes" else 1)


@requirement("JMS-ERR-006")
def test_length_of_a_body_that_is_written_is_not_told(jms):
    """It raises MessageNotReadableException until reset(), and is told behind it."""
    message = compose(jms.session(), "bytes", PLAIN["bytes"])

    with refuses(MessageNotReadableException):
        length_of(message)

    message.reset()
    assert length_of(message) == 4


def length_of(message):
    return message.body_length


@in_order
@requirement("JMS-ERR-007")
@pytest.mark.parametrize("state", ["reset", "received"])
def test_body_that_is_read_is_not_written(jms, delivered, kind, state):
    """Each write raises MessageNotWriteableException until clear_body(), and none behind it."""
    message = compose(jms.session(), kind, PLAIN[kind])
    if state == "received":
        message = delivered(message)
    else:
        message.reset()

    for write in WRITES[kind].values():
        with refuses(MessageNotWriteableException):
            write(message)

    message.clear_body()
    WRITES[kind]["int"](message)
    message.reset()
    assert READS[kind]["int"](message) == 1


@requirement("JMS-ERR-009")
@needs("distributed-transactions")
def test_transaction_of_a_manager_is_not_ended_by_its_session(jms):
    """commit() and rollback() of an XASession raise TransactionInProgressException."""
    session = jms.factory().create_xa_connection().create_xa_session()

    with refuses(TransactionInProgressException):
        session.commit()
    with refuses(TransactionInProgressException):
        session.rollback()


@requirement("JMS-ERR-011")
def test_exceptions_tell_what_went_wrong(jms, topic):
    """Each has a text; its error code, if any, is one; its linked exception can be asked for."""
    session, closed = jms.session(), jms.session()
    closed.close()
    message = session.create_map_message()
    message.set_bytes("k", b"\x01")
    failures = (
        session.commit,
        closed.create_message,
        lambda: session.create_consumer(topic, "no selector ="),
        lambda: message.get_int("k"),
        lambda: session.create_bytes_message().read_int(),
    )

    for fail in failures:
        with refuses(JMSException) as refusal:
            fail()
        error = refusal.value
        assert str(error).strip()
        assert error.error_code is None or isinstance(error.error_code, str)
        assert error.linked_exception is None or isinstance(error.linked_exception, Exception)
