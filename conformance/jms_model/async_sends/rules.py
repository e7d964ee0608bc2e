"""The rule of each call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from jms_model.answers import Expectation
from jms_model.async_sends import callback_rules, end_rules, queue_rules, send_rules
from jms_model.async_sends.state import CONNECTION, ModelApplication, Producer, SendCall, Session

Rule = Callable[..., Expectation | None]
OUTSIDE: Final = "o"
"""Another connection, which looks at queues."""
LISTENERS: Final = "l"
"""What makes listeners."""
ALWAYS: Final = (CONNECTION, OUTSIDE, LISTENERS)
"""What is there before the program."""
_ON_APPLICATIONS: Final[Mapping[tuple[str, str], Rule]] = {
    (CONNECTION, "create_session"): send_rules.create_session,
    (CONNECTION, "close"): end_rules.close_connection,
    (LISTENERS, "listener"): send_rules.listener,
    (OUTSIDE, "browse"): queue_rules.browse,
    (OUTSIDE, "left"): queue_rules.remaining_messages,
}
_RULES: Final[Mapping[type[Any], Mapping[str, Rule]]] = {
    Session: {
        "create_producer": send_rules.create_producer,
        "use": send_rules.use,
        "commit": end_rules.commit,
        "rollback": end_rules.rollback,
        "close": end_rules.close_session,
        "overlaps": callback_rules.overlaps,
        "by_the_sender": callback_rules.runs_on_the_sending_thread,
    },
    Producer: {
        "set": send_rules.set_option,
        "send": send_rules.send,
        "close": end_rules.close_producer,
        "turns": callback_rules.turns,
    },
    SendCall: {
        "told": callback_rules.callback_method,
        "message": callback_rules.message,
        "failure": callback_rules.failure,
        "times": callback_rules.times,
        "does": callback_rules.does,
        "touch": callback_rules.touch,
        "headers": callback_rules.headers,
    },
}


def expect(
    app: ModelApplication, on: str, method: str, args: Sequence[Any] = (), makes: str = ""
) -> Expectation | None:
    """What is permitted of a call on what has the name `on`; None: it makes no sense now."""
    named = (*args, makes) if makes else tuple(args)
    if on in ALWAYS:
        return _ON_APPLICATIONS[on, method](app, *named)
    target = app.objects.get(on)
    if target is None:
        return None
    return _RULES[type(target)][method](app, target, *named)
