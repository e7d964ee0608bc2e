"""Session and JMSContext: messages that are made of a text or an object."""

import pytest

from jmsapi import Int
from touchstone.api import requirement, strategies

MADE = {
    "text": ("API-TEXT-003", "create_text_message", "text", ["a", "", "größe \U0001f600"]),
    "object": ("API-OBJ-003", "create_object_message", "object", ["a", "", Int(-1), False]),
}


@pytest.mark.parametrize("maker", ["session", "context"])
@pytest.mark.parametrize(
    ("create", "body", "values"),
    [pytest.param(*row, marks=requirement(id_), id=kind) for kind, (id_, *row) in MADE.items()],
)
def test_message_is_made_of_a_value(jms, context_of, shown, maker, create, body, values):
    """It holds the value, before the send and as it arrives."""
    making = jms.session() if maker == "session" else context_of()

    wrong = []
    for value in values:
        held = getattr(shown(getattr(making, create)(value)), body)
        if not strategies.identical(held, value):
            wrong.append(f"{value!r:.40}: {held!r:.60}")

    assert wrong == []
