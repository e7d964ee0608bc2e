"""Objects used over a pipe: both ends in this process, each on its own threads."""

from __future__ import annotations

import math
import struct
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jmsapi
from clients.remote_pipe import TIMEOUT, NamedQueue, Pipe
from jms_brokers.errors import BrokerError
from jms_clients.origins import Origin, origin_of
from jms_clients.remote_objects import OtherProcessGone
from jms_clients.remote_values import OtherProcessError, decode, encode
from jmsapi import (
    Byte,
    Char,
    DeliveryMode,
    Double,
    Float,
    IllegalStateException,
    Int,
    JMSException,
    Long,
    SessionMode,
    Short,
    TemporaryQueue,
    TextMessage,
)


@pytest.fixture(scope="module")
def shared() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.hang_up()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.hang_up()


TEXTS = st.text(st.sampled_from("aé\0\n\N{GRINNING FACE}\ud800"), max_size=5)
floats = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack(">d", bits.to_bytes(8))[0])
plain = (
    st.none()
    | st.booleans()
    | st.integers()
    | TEXTS
    | st.binary(max_size=10)
    | floats
    | floats.map(Double)
    | floats.map(Float)
    | st.integers(-128, 127).map(Byte)
    | st.integers(-(2**15), 2**15 - 1).map(Short)
    | st.integers(-(2**31), 2**31 - 1).map(Int)
    | st.integers(-(2**63), 2**63 - 1).map(Long)
    | st.sampled_from(["a", "\ud800", "\0"]).map(Char)
    | st.sampled_from([*DeliveryMode, *SessionMode])
)
values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=6,
)


def alike(left: Any, right: Any) -> bool:
    """Equal in value and type at every depth, and in every bit of a float."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return struct.pack(">d", left) == struct.pack(">d", right)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(alike(left[key], right[key]) for key in left)
    return bool(left == right)


@given(value=values)
def test_values_cross_bit_for_bit_with_their_types(shared: Pipe, value: object) -> None:
    assert alike(shared.remote.same(value), value)


def test_values_arrive_in_their_types(pipe: Pipe) -> None:
    for value in (Int(1), Char("c"), Float(1.5), 1.5, SessionMode.AUTO_ACKNOWLEDGE, b"", {1}):
        assert pipe.remote.kind(value) == type(value).__name__
    assert pipe.remote.same(frozenset({1})) == frozenset({1})
    assert math.isnan(pipe.remote.same(math.nan))


def test_types_cross_where_they_are_known(pipe: Pipe) -> None:
    for kind in (str, bytes, dict, object, jmsapi.TextMessage, jmsapi.Int):
        assert pipe.remote.same(kind) is kind


def test_attributes_are_read_and_set_there(pipe: Pipe) -> None:
    pipe.remote.setting = Int(7)
    assert pipe.served.setting == Int(7)
    assert pipe.remote.setting == Int(7)
    with pytest.raises(AttributeError, match="nothing"):
        pipe.remote.nothing  # noqa: B018


def test_objects_stay_there_and_keep_their_identity(pipe: Pipe) -> None:
    queue = pipe.remote.queue("orders")
    assert queue.queue_name == "orders"
    assert isinstance(queue, TemporaryQueue)
    assert not isinstance(queue, TextMessage)
    assert queue == pipe.remote.queue("orders")
    assert queue != pipe.remote.queue("others")
    assert hash(queue) == hash("orders")
    pipe.remote.setting = queue
    assert isinstance(pipe.served.setting, NamedQueue)
    assert pipe.remote.setting is queue
    assert "TemporaryQueue" in repr(queue)


def test_objects_of_this_side_can_be_used_there(pipe: Pipe) -> None:
    own = NamedQueue("mine")
    assert pipe.remote.name_of(own) == (True, "mine")
    assert pipe.remote.same(own) is own


def test_iterators_and_contexts_work(pipe: Pipe) -> None:
    assert list(pipe.remote.names()) == ["a", "b"]
    with pipe.remote as entered:
        assert entered is pipe.remote
        assert not pipe.served.closed
    assert pipe.served.closed


def test_errors_come_back_by_their_class(pipe: Pipe) -> None:
    with pytest.raises(IllegalStateException) as caught:
        pipe.remote.fail("jms")
    assert type(caught.value) is IllegalStateException
    assert (caught.value.reason, caught.value.error_code) == ("closed", "42")
    assert isinstance(caught.value.linked_exception, ValueError)
    assert any("in fail" in note for note in caught.value.__notes__)
    with pytest.raises(IllegalStateException, match="inside"):
        pipe.remote.fail("own")
    with pytest.raises(KeyError, match="k"):
        pipe.remote.fail("key")
    with pytest.raises(BrokerError, match="gone") as told:
        pipe.remote.fail("stop")
    assert told.value.hint == "start it"
    with pytest.raises(UnicodeError):
        pipe.remote.fail("picky")
    with pytest.raises(JMSException, match="consumers") as coded:
        pipe.remote.queue().delete()
    assert coded.value.error_code == "E7"


def test_errors_cross_as_values(pipe: Pipe) -> None:
    error = pipe.remote.same(JMSException("reason", "code"))
    assert isinstance(error, JMSException)
    assert (error.reason, error.error_code) == ("reason", "code")


def test_callbacks_come_here_and_call_back_on_the_thread_that_waits(pipe: Pipe) -> None:
    here: list[int] = []

    def listener(served: Any, depth: int) -> int:
        here.append(threading.get_ident())
        return 0 if depth == 0 else 1 + served.call_back(depth - 1)

    pipe.remote.listener = listener
    assert pipe.remote.listener is listener
    assert pipe.remote.call_back(3) == 3
    assert set(here) == {threading.get_ident()}
    assert len(set(pipe.served.threads)) == 1


def test_a_listener_called_by_a_thread_of_the_other_side(pipe: Pipe) -> None:
    heard: list[object] = []
    done = threading.Event()

    def listener(served: Any, depth: int) -> None:
        heard.append(served.queue(f"q{depth}").queue_name)
        done.set()

    pipe.remote.listener = listener
    calling = threading.Thread(target=pipe.served.call_back, args=(5,))
    calling.start()
    assert done.wait(TIMEOUT)
    calling.join(TIMEOUT)
    assert heard == ["q5"]


def test_an_error_of_a_callback_reaches_who_called_it(pipe: Pipe) -> None:
    def listener(served: Any, depth: int) -> None:
        raise JMSException("not mine")

    pipe.remote.listener = listener
    with pytest.raises(JMSException, match="not mine"):
        pipe.remote.call_back(0)
    with pytest.raises(JMSException, match="not mine"):
        pipe.served.call_back(0)


def test_a_call_that_waits_does_not_keep_others_waiting(pipe: Pipe) -> None:
    event = threading.Event()
    results: list[bool] = []
    waiting = threading.Thread(target=lambda: results.append(pipe.remote.wait(event)))
    waiting.start()
    assert pipe.remote.same(1) == 1
    event.set()
    waiting.join(TIMEOUT)
    assert results == [True]


def test_many_threads_share_few_lanes(pipe: Pipe) -> None:
    for _ in range(20):
        thread = threading.Thread(target=pipe.remote.note_thread)
        thread.start()
        thread.join(TIMEOUT)
    assert len(pipe.served.threads) == 20
    assert len(set(pipe.served.threads)) == 1


def test_private_names_are_out_of_reach(pipe: Pipe) -> None:
    with pytest.raises(AttributeError):
        pipe.remote._private()
    for name in ("_private", "__init__", "__reduce__", "__getattribute__"):
        with pytest.raises(AttributeError, match="public"):
            pipe.near.ask(pipe.remote, "call", name)
        with pytest.raises(AttributeError, match="public"):
            pipe.near.ask(pipe.remote, "get", name)


ERROR: dict[str, Any] = {
    "class": "ValueError",
    "exact": "ValueError",
    "args": [],
    "error_code": None,
    "hint": "",
    "trace": "",
    "cause": None,
    "origin": "client",
}


def nested(times: int) -> Any:
    value: Any = None
    for _ in range(times):
        value = {"list": [value]}
    return value


ODD: dict[str, Any] = {
    "unknown": {"eval": "1"},
    "nothing": {},
    "unknown type": {"type": "Popen"},
    "a list": [1],
    "two kinds": {"list": 1, "tuple": 2},
    "a float": 1.5,
    "no list": {"list": 1},
    "a key alone": {"dict": [[1]]},
    "no pairs": {"dict": [1]},
    "a dictionary and more": {"dict": [], "list": []},
    "a list as a key": {"dict": [[{"list": []}, 1]]},
    "a list in a set": {"set": [{"list": []}]},
    "a byte of 9 bits": {"Byte": 300},
    "a byte that is a text": {"Byte": "1"},
    "a mode that is none": {"DeliveryMode": 7},
    "a float of one byte": {"Float": "00"},
    "a float that is no hex": {"Double": "no"},
    "two characters": {"Char": "ab"},
    "no base64": {"bytes": "*"},
    "bytes of a list": {"bytes": []},
    "an error without a class": {"error": {}},
    "an error without arguments": {"error": ERROR | {"args": None}},
    "an error with a cause that is a text": {"error": ERROR | {"cause": "x"}},
    "an object without a number": {"object": {"owner": "me"}},
    "an object that nobody named": {"object": {"owner": "you", "number": 99}},
    "an object of nobody": {"object": {"owner": "they", "number": 1, "is": None}},
    "an object of a list": {"object": {"owner": "me", "number": 1, "is": []}},
    "too deep": nested(1_000),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_other_json_is_refused(odd: Any, pipe: Pipe) -> None:
    with pytest.raises(OtherProcessError, match=r"sent|there is no object"):
        decode(odd, pipe.near)


def test_an_error_that_its_arguments_do_not_fit_is_told_by_another_class(pipe: Pipe) -> None:
    for name in ("JMSException", "BrokerError", "UnicodeDecodeError"):
        odd = ERROR | {"class": name, "exact": name, "args": [1, 2, 3, 4, 5, 6]}
        error = decode({"error": odd}, pipe.near)
        assert isinstance(error, OtherProcessError)
        assert f"{name} in the other process: 1, 2" in str(error)


@pytest.mark.parametrize(
    ("error", "origin"),
    [
        ("jms", Origin.CLIENT),
        ("key", Origin.CLIENT),
        ("own", Origin.CLIENT),
        ("stop", Origin.HARNESS),
    ],
)
def test_where_an_error_was_raised_crosses_with_it(error: str, origin: Origin, pipe: Pipe) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 (any class is what is tested)
        pipe.remote.fail(error)
    assert origin_of(caught.value) is origin


def test_what_does_not_cross_the_pipe_is_not_the_clients_fault(pipe: Pipe) -> None:
    with pytest.raises(AttributeError) as caught:
        pipe.near.ask(pipe.remote, "call", "_hidden")
    assert origin_of(caught.value) is Origin.ADAPTER


@pytest.mark.parametrize("line", [b"{\n", b"[]\n", b'{"lane": []}\n', b"[" * 100_000 + b"\n"])
def test_a_line_that_is_no_message_ends_the_conversation(line: bytes, pipe: Pipe) -> None:
    pipe.sockets[1].sendall(line)
    pipe.threads[0].join(TIMEOUT)
    assert not pipe.threads[0].is_alive()
    with pytest.raises(OtherProcessGone, match="what nobody can read"):
        pipe.remote.same(1)


def test_an_answer_that_is_none_is_a_defect(pipe: Pipe) -> None:
    pipe.far._perform = lambda message: {}  # type: ignore[method-assign]
    with pytest.raises(OtherProcessError, match="no answer to call same"):
        pipe.near.ask(pipe.remote, "call", "same", 1)


def test_objects_are_named_by_their_side(pipe: Pipe) -> None:
    assert encode(pipe.served, pipe.far) == {"object": {"owner": "me", "number": 1, "is": None}}


def test_calls_fail_when_the_other_side_is_gone(pipe: Pipe) -> None:
    asked, never = threading.Event(), threading.Event()
    failed: list[Exception] = []

    def listener(served: Any, depth: int) -> None:
        asked.set()
        never.wait(TIMEOUT)

    def call() -> None:
        try:
            pipe.served.call_back(1)
        except OtherProcessGone as error:
            failed.append(error)

    pipe.remote.listener = listener
    thread = threading.Thread(target=call)
    thread.start()
    assert asked.wait(TIMEOUT)
    pipe.far.end("it was killed")
    thread.join(TIMEOUT)
    never.set()
    assert "it was killed" in str(failed)
    pipe.near.end("it was killed")
    with pytest.raises(OtherProcessGone, match="it was killed"):
        pipe.remote.same(1)
