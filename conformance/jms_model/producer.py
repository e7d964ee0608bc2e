"""A MessageProducer: what it is set to, and what it does with a message (JMS 2.0, chapter 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from jms_model.answers import Expectation, Keeps, gives, raises, succeeds
from jms_model.headers import Name
from jms_model.message import Message
from jms_model.producer_sends import (
    Arrive,
    ExpectedSend,
    Ids,
    RefusalReason,
    RequestedSend,
    refuse,
    succeeding,
)
from jms_model.producer_settings import DEFAULTS, LEGAL, ProducerSettings
from jmsapi.errors import (
    IllegalStateException,
    JMSException,
    MessageFormatException,
    UnsupportedOperationException,
)

Options = tuple[int, int, int]
"""Mode, priority and time-to-live of one send."""
_OPTIONS: Final = ("delivery_mode", "priority", "time_to_live")
_INVALID: Final = {"delivery_mode": "API-PROD-009", "priority": "API-PROD-010"}
_CLOSED: Final = RefusalReason(IllegalStateException, "API-PROD-014", "that is closed")
_OVERRIDES: Final = "JMS-PROD-004"


class MessageProducer:
    """A producer of a session, for one destination or for none."""

    def __init__(self, destination: Name | None) -> None:
        self.destination = destination
        self.settings = ProducerSettings("API-PROD", ("API-PROD-007", "API-PROD-008"), JMSException)
        self.suspects = self.settings.suspects
        self._ids = Ids()
        self._is_closed = False
        self._overridden = False
        """Whether a send had options of its own."""

    def expect(self, method: str, args: Sequence[Any]) -> Expectation:
        """What is permitted of a call, but of send."""
        expectation = self._expect(method, args)
        expectation.situation = " ".join(filter(None, (self._words, expectation.situation)))
        return expectation

    @property
    def _words(self) -> str:
        return f"of a producer {'without a' if self.destination is None else 'for a'} destination"

    def _expect(self, method: str, args: Sequence[Any]) -> Expectation:
        verb, _, name = method.partition("_")
        if method == "close":
            return self._close()
        if self._is_closed:
            ids, permitted = [_CLOSED.id], [raises(_CLOSED.kind)]
            if args and args[0] not in LEGAL.get(name, args):
                ids, permitted = [], [raises(JMSException)]
            return Expectation(permitted, ids, _CLOSED.words)
        if method == "get_destination":
            return self._get_destination()
        if name in DEFAULTS and verb == "get":
            return self.settings.get(name)
        if name in DEFAULTS:
            return self.settings.set(name, args[0], succeeds)
        raise KeyError(f"{method} of a producer")

    def _close(self) -> Expectation:
        def close() -> None:
            self._is_closed = True

        ids = ["API-PROD-015"] if self._is_closed else []
        return Expectation([succeeds(close)], ids, "again" if self._is_closed else "")

    def _get_destination(self) -> Expectation:
        ids, reads = ["API-PROD-013"], [("destination",)]
        expectation = Expectation([gives(self.destination)], ids, reads=reads)
        self.suspects.judge(expectation)
        return expectation

    def send(
        self, message: Message | None, destination: Name | None, options: Options | None
    ) -> ExpectedSend:
        """What is permitted of a send, to a destination or to the producer's own."""
        faults = self._faults(message, destination, options)
        if faults:
            expectation = refuse(faults, self._words, message.refused if message else lambda: None)
            expectation.keeps = [
                Keeps("setting", expectation.ids, leaves_doubt=options is not None),
                Keeps("destination", expectation.ids, leaves_doubt=False),
            ]
            return ExpectedSend(expectation)
        assert message is not None
        given = dict(zip(_OPTIONS, options, strict=True)) if options is not None else {}
        ids = [*([_OVERRIDES] if given else []), *(["JMS-PROD-001"] if destination else [])]
        expectation = succeeding(succeeds(), ids, self._words + (" with options" if given else ""))
        expectation.keeps = [
            Keeps("setting", [_OVERRIDES] if given else [], leaves_doubt=False),
            Keeps("destination", ["JMS-PROD-001"] if destination else [], leaves_doubt=False),
        ]
        return ExpectedSend(expectation, self._arrive(message, destination, given))

    def _faults(
        self, message: Message | None, destination: Name | None, options: Options | None
    ) -> list[RefusalReason]:
        faults = [_CLOSED] if self._is_closed else []
        if message is None:
            faults.append(RefusalReason(MessageFormatException, "API-PROD-011", "of null"))
        if self.destination is None and destination is None:
            faults.append(RefusalReason(UnsupportedOperationException, "JMS-PROD-001", "to none"))
        if self.destination is not None and destination is not None:
            faults.append(
                RefusalReason(UnsupportedOperationException, "JMS-PROD-002", "to another")
            )
        for name, value in zip(_OPTIONS, options or (), strict=False):
            if value not in LEGAL.get(name, (value,)):
                faults.append(RefusalReason(JMSException, _INVALID[name], f"with no {name}"))
        return faults

    def _arrive(self, message: Message, destination: Name | None, given: dict[str, Any]) -> Arrive:
        def arrive(before: int, after: int) -> Message:
            settings = self.settings
            cited = {name: self._cited(name, name in given) for name in _OPTIONS}
            doubtful = {each for each in DEFAULTS if settings.is_doubtful(each)} - given.keys()
            target = destination or self.destination
            assert target is not None
            send = RequestedSend(target, {**settings.values, **given}, cited, frozenset(doubtful))
            self._overridden |= bool(given)
            return send.arrival(self._ids, message, before, after)

        return arrive

    def _cited(self, name: str, is_given: bool) -> Sequence[str]:
        applies = ["JMS-PROD-003"] if name in self.settings.given and not is_given else []
        return [*applies, *([_OVERRIDES] if is_given or self._overridden else [])]
