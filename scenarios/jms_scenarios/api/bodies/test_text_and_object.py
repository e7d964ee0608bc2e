"""TextMessage and ObjectMessage: what a new one holds, and what it was given last."""

import pytest

from jmsapi import Double, Int
from touchstone.api import requirement, strategies

KINDS = {
    "text": (
        "create_text_message",
        "text",
        ["", "a", "größe \U0001f600\0", "ß" * 2000, None, "last"],
    ),
    "object": ("create_object_message", "object", ["a", Int(-1), False, Double(2.0), None, "last"]),
}


def by_kind(text, object_):
    numbers = {"text": text, "object": object_}
    return pytest.mark.parametrize(
        ("create", "body", "values"),
        [
            pytest.param(*row, marks=requirement(numbers[kind]), id=kind)
            for kind, row in KINDS.items()
        ],
    )


@by_kind("API-TEXT-001", "API-OBJ-001")
def test_new_message_holds_null(jms, shown, create, body, values):
    """Its text, or its object, is None, before the send and as it arrives."""
    message = shown(getattr(jms.session(), create)())

    assert getattr(message, body) is None


@by_kind("API-TEXT-001", "API-OBJ-001")
def test_new_message_of_a_context_holds_null(jms, shown, create, body, values):
    """Its text, or its object, is None, before the send and as it arrives."""
    message = shown(getattr(jms.context(), create)())

    assert getattr(message, body) is None


@by_kind("API-TEXT-002", "API-OBJ-002")
def test_message_holds_what_it_was_given_last(jms, delivered, create, body, values):
    """Each value is read back once it is set, and the last one arrives."""
    message = getattr(jms.session(), create)()
    wrong = []
    for value in values:
        setattr(message, body, value)
        if not strategies.identical(getattr(message, body), value):
            wrong.append(f"{value!r:.40}: {getattr(message, body)!r:.60}")

    assert wrong == []
    assert getattr(delivered(message), body) == "last"
