"""Tables with a row for each method of an interface, judged by the method's own statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from jmsapi import BytesMessage, Message, StreamMessage
from touchstone.api import requirement

Rows = Mapping[str, tuple[Any, ...]]


def by_method(document: str, rows: Rows, *names: str) -> pytest.MarkDecorator:
    """A case for each method: the number of its statement is the first of its row.

    `document` is what the ids have before it, `names` are those of what follows in a row.
    """
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(*rest, marks=requirement(f"{document}-{number:03}"), id=method)
            for method, (number, *rest) in rows.items()
        ],
    )


def readable(message: Message) -> Message:
    """The message, read from the beginning where its body is read in order."""
    if isinstance(message, (BytesMessage, StreamMessage)):
        message.reset()
    return message
