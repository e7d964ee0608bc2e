"""How calls are refused: by which exception, of the classic API and of the simplified one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jms_model.answers import Effect, Expectation, raises
from jms_model.resources.things import Session
from jmsapi.errors import (
    IllegalStateException,
    IllegalStateRuntimeException,
    InvalidClientIDException,
    InvalidClientIDRuntimeException,
    InvalidDestinationException,
    InvalidDestinationRuntimeException,
    InvalidSelectorException,
    InvalidSelectorRuntimeException,
    JMSException,
    JMSRuntimeException,
)

UNCHECKED: Final = "JMS-CTX-015"
"""The statement that the simplified API raises unchecked exceptions."""
_TWINS: Final[dict[type[Exception], type[Exception]]] = {
    JMSException: JMSRuntimeException,
    IllegalStateException: IllegalStateRuntimeException,
    InvalidClientIDException: InvalidClientIDRuntimeException,
    InvalidDestinationException: InvalidDestinationRuntimeException,
    InvalidSelectorException: InvalidSelectorRuntimeException,
}


@dataclass(frozen=True)
class RefusalReason:
    """Why a call has to be refused."""

    error: type[Exception]
    """The checked exception that says so."""
    ids: Sequence[str]
    situation: str


def twin(error: type[Exception], *, simplified: bool) -> type[Exception]:
    """The exception as an API raises it."""
    return _TWINS[error] if simplified else error


def _do_nothing() -> None:
    """No effect."""


def refuse(fault: RefusalReason, *, simplified: bool, effect: Effect = _do_nothing) -> Expectation:
    """The call is refused by this exception."""
    permitted = [raises(twin(fault.error, simplified=simplified), effect=effect)]
    if not simplified:
        return Expectation(permitted, fault.ids, fault.situation)
    return Expectation(
        permitted,
        fault.ids,
        fault.situation,
        besides=[UNCHECKED],
        betrays=(JMSRuntimeException,),
        instead=[*fault.ids, UNCHECKED],
    )


def refuse_for_any(faults: Sequence[RefusalReason], *, simplified: bool) -> Expectation:
    """The call is refused for one of these reasons: which one is reported is left open."""
    if len(faults) == 1:
        return refuse(faults[0], simplified=simplified)
    return Expectation(
        [raises(twin(each.error, simplified=simplified)) for each in faults],
        [id_ for each in faults for id_ in each.ids],
        " and ".join(dict.fromkeys(each.situation for each in faults)),
        betrays=(),
        instead=[],
    )


def of_a_closed(session: Session) -> RefusalReason:
    """A call on a session or context that is closed, or on what it has made."""
    if session.simplified:
        id_ = "API-CTX-012"
    else:
        id_ = {"session": "JMS-SESS-004", "connection": "JMS-CONN-016"}[session.closed_by]
    return RefusalReason(IllegalStateException, [id_], f"behind close of the {session.closed_by}")
