"""A listener may be called while its connection starts, but not before."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import cast
from unittest.mock import Mock

import pytest

from jmsapi import Message
from touchstone.drawn.sessions.application import Application
from touchstone.drawn.sessions.program import Step

Call = Callable[[], None]


def _application(called_by_start: list[Call]) -> Application:
    """One whose connection c0 makes these calls when it starts, before start() returns."""
    made = Application(Mock(), False, str, Mock(next=lambda listeners: listeners.receive(0)))
    made.objects |= {"c0": Mock(), "s0": Mock(), "k0": Mock()}
    made._made_by |= {"s0": "c0", "k0": "s0"}
    made.objects["c0"].start = lambda: [call() for call in called_by_start]
    made.call(Step("k0", "listen"), comes=False)
    return made


def _calls(application: Application) -> Call:
    """The provider calls the listener of k0 with message 7, and it has begun."""
    listener = application.objects["k0"].message_listener
    message = cast(Message, Mock(**{"get_int_property.return_value": 7}))

    def call() -> None:
        heard = application._listeners["s0"]._heard.qsize()
        threading.Thread(target=listener, args=[message], daemon=True).start()
        while application._listeners["s0"]._heard.qsize() == heard:
            pass

    return call


@pytest.mark.parametrize("again", [False, True])
def test_start_may_call_a_listener_before_it_returns(again: bool) -> None:
    calls: list[Call] = []
    application = _application(calls)
    if again:
        application.call(Step("c0", "start"), comes=False)
    calls.append(_calls(application))

    assert application.call(Step("c0", "start"), comes=False) is None

    assert application.call(Step("s0", "hear", makes="m0"), comes=False) == ("k0", 7)
    application.call(Step("m0", "returns"), comes=False)


def test_a_call_before_the_start_is_one_that_must_not_be() -> None:
    application = _application([])
    _calls(application)()

    assert application.call(Step("c0", "start"), comes=False) == ("k0", 7)
