"""Objects of bodies: the message and its user have each their own."""

import pytest

from jmsapi import Int
from touchstone.api import compose, content_of, requirement

ARRAY = b"\x01\x02\x03"
LIST = [Int(1), Int(2)]


SET = {
    "bytes": ("bytes", lambda message, array: message.write_bytes(array), ARRAY),
    "bytes-object": ("bytes", lambda message, array: message.write_object(array), ARRAY),
    "map": ("map", lambda message, array: message.set_bytes("k", array), {"k": ARRAY}),
    "map-object": ("map", lambda message, array: message.set_object("k", array), {"k": ARRAY}),
    "stream": ("stream", lambda message, array: message.write_bytes(array), [ARRAY]),
    "stream-object": ("stream", lambda message, array: message.write_object(array), [ARRAY]),
}


@pytest.mark.parametrize(("kind", "put", "content"), SET.values(), ids=SET)
@requirement("JMS-BODY-036")
def test_array_that_is_changed_later_is_sent_as_it_was(jms, delivered, kind, put, content):
    """The receiver gets the bytes that the array had when it was put into the body."""
    array = jms.array_of(ARRAY)
    message = getattr(jms.session(), f"create_{kind}_message")()
    put(message, array)

    array[0] = 9

    assert content_of(delivered(message)) == content


@requirement("JMS-BODY-036")
def test_list_that_is_changed_later_is_sent_as_it_was(jms, delivered):
    """The receiver gets the items that the list had when it became the body."""
    items = jms.list_of(LIST)
    message = jms.session().create_object_message()
    message.object = items

    items[0] = items[1]

    assert content_of(delivered(message)) == LIST


def next_object(stream):
    stream.reset()
    return stream.read_object()


GET = {
    "map": ("map", {"k": ARRAY}, lambda message: message.get_bytes("k"), ARRAY),
    "map-object": ("map", {"k": ARRAY}, lambda message: message.get_object("k"), ARRAY),
    "stream-object": ("stream", [ARRAY], next_object, ARRAY),
    "object": ("object", LIST, lambda message: message.object, LIST),
}


@pytest.mark.parametrize(("kind", "content", "get", "value"), GET.values(), ids=GET)
@pytest.mark.usefixtures("trusted")
@requirement("JMS-BODY-039")
def test_object_that_a_message_gave_is_the_users(jms, delivered, kind, content, get, value):
    """Its change does not reach the message, which gives the same value once more."""
    message = delivered(compose(jms.session(), kind, content))

    with jms.as_they_are():
        given = get(message)
    if not isinstance(given, bytes):  # those of Python nobody can change
        given[0] = given[1]
        assert list(given) != list(value)

    assert get(message) == value
