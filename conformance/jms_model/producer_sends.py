"""What a send gives a message: the header fields that the provider sets (JMS 2.0, section 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from jms_model.answers import Effect, Expectation, Permitted, raises
from jms_model.headers import Name
from jms_model.message import Message
from jms_model.provider_fields import ProviderField, just, number_between

ARRIVES: Final = ("JMS-BODY-001", "JMS-BODY-002", "JMS-PROP-011")
"""What a message breaks that cannot be sent, or does not come, for no reason."""
Arrive = Callable[[int, int], Message]
"""What arrives of a send that was called and came back at these milliseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class ExpectedSend:
    """One call of send: how it may end, and what arrives then."""

    expectation: Expectation
    arrive: Arrive | None = None
    """None: nothing does, for the call is refused."""


@dataclass(frozen=True, slots=True)
class RefusalReason:
    """One reason why a call is refused, and the statement that says so."""

    kind: type[Exception]
    id: str
    words: str


def refuse(faults: Sequence[RefusalReason], of: str, effect: Effect) -> Expectation:
    """A call is refused for one of these; for several it may be any of them, and none is named."""
    permitted = [raises(each.kind, effect=effect) for each in faults]
    ids = [faults[0].id] if len(faults) == 1 else []
    return Expectation(permitted, ids, " and ".join([of, *(each.words for each in faults)]))


@dataclass
class Ids:
    """The message ids that were seen, each with the send that it is of."""

    seen: dict[object, ProviderField] = field(default_factory=dict)
    of_objects: dict[int, list[ProviderField]] = field(default_factory=dict)
    """Of each object that was sent, by which it is known, the ids of its sends."""

    def field(self, message: Message, is_disabled: bool) -> ProviderField:
        """The id of one more send."""
        before = self.of_objects.setdefault(id(message), [])

        def holds(value: object) -> bool:
            if value is None:
                return is_disabled
            is_one = isinstance(value, str) and value.startswith("ID:")
            return is_one and self.seen.get(value, made) is made

        def accuse(value: object) -> Sequence[str]:
            if not (isinstance(value, str) and value.startswith("ID:")):
                return [hinted] if is_disabled else ["JMS-HDR-006"]
            again = any(self.seen.get(value) is each for each in before if each is not made)
            return ["JMS-HDR-007", *(["JMS-HDR-008", "JMS-HDR-026"] if again else [])]

        hinted = "JMS-HDR-009"
        own = [hinted] if is_disabled else ["JMS-HDR-006"]
        ids = [*own, "JMS-HDR-007", *(["JMS-HDR-008", "JMS-HDR-026"] if before else [])]
        made = ProviderField(
            "an id that no other message has", holds, ids, ids, ["JMS-HDR-008"], accuse,
            learned=lambda value: self.seen.update({value: made} if value is not None else {}),
        )  # fmt: skip
        before.append(made)
        return made


@dataclass(frozen=True)
class RequestedSend:
    """One send as it was asked for."""

    destination: Name
    values: Mapping[str, Any]
    """The six settings that are in force."""
    cited: Mapping[str, Sequence[str]]
    """The statements that say so, by the setting."""
    doubtful: frozenset[str]
    """Settings that nobody can be sure of."""

    def arrival(self, ids: Ids, message: Message, before: int, after: int) -> Message:
        """What arrives of a message; the sender's has the header fields of the send, too."""
        fields = self._fields(ids.field(message, self.values["disable_message_id"]), before, after)
        presets = message.headers.presets
        for name, each in fields.items():
            preset = presets.get(name, _OF_A_NEW_MESSAGE[name])
            if not each.holds(preset) and preset != _OF_A_NEW_MESSAGE[name]:
                each.preset = preset
        first = ProviderField("false", just(False), of_receiver=["JMS-HDR-019"])
        return message.sent_by(fields, {**fields, "jms_redelivered": first})

    def _fields(self, id_: ProviderField, before: int, after: int) -> dict[str, ProviderField]:
        mode, priority = self.values["delivery_mode"], self.values["priority"]
        live, delay = self.values["time_to_live"], self.values["delivery_delay"]
        provider_fields = {
            "jms_destination": self._destination(),
            "jms_delivery_mode": ProviderField(
                f"{mode}", just(mode), ["JMS-HDR-005"],
                ["JMS-HDR-004", *self._cited("delivery_mode")],
            ),
            "jms_priority": ProviderField(
                f"{priority}", just(priority), ["JMS-HDR-021"],
                ["JMS-PRIO-001", *self._cited("priority")],
            ),
            "jms_message_id": id_,
            "jms_timestamp": self._timestamp(before, after),
            "jms_expiration": self._expiration(live, before, after),
            "jms_delivery_time": ProviderField(
                f"{before + delay} to {after + delay}",
                number_between(before + delay, after + delay),
                ["JMS-HDR-022", "JMS-DLY-001"], alike=["JMS-DLY-002"],
            ),
        }  # fmt: skip
        for name, decided in _DECIDED_BY.items():
            if decided in self.doubtful:
                provider_fields[name].of_sender = provider_fields[name].of_receiver = ()
                provider_fields[name].accuse = None
        return provider_fields

    def _cited(self, setting: str) -> Sequence[str]:
        return self.cited.get(setting, ())

    def _destination(self) -> ProviderField:
        sent = self.destination

        def holds(value: object) -> bool:
            return isinstance(value, Name) and value.kind == sent.kind

        return ProviderField(
            f"the {sent.kind} {sent.name}", holds, ["JMS-HDR-002"], ["JMS-HDR-001"], learns=False
        )

    def _timestamp(self, before: int, after: int) -> ProviderField:
        is_now, words = number_between(before, after), f"{before} to {after}"
        if self.values["disable_message_timestamp"]:
            ids = ["JMS-HDR-012"]
            return ProviderField(
                f"0 or {words}", lambda value: value == 0 or is_now(value), ids, ids,
                ["JMS-HDR-011"],
            )  # fmt: skip
        ids = ["JMS-HDR-010"]
        return ProviderField(words, is_now, ids, ids, ["JMS-HDR-011"])

    def _expiration(self, live: int, before: int, after: int) -> ProviderField:
        if live == 0:
            ids = ["JMS-EXP-005"]
            return ProviderField(
                "0", just(0), [*ids, "JMS-HDR-020"], [*ids, *self._cited("time_to_live")],
                ["JMS-EXP-004"],
            )  # fmt: skip
        return ProviderField(
            f"{before + live} to {after + live}", number_between(before + live, after + live),
            ["JMS-HDR-020", "JMS-EXP-003"], self._cited("time_to_live"), ["JMS-EXP-004"],
        )  # fmt: skip


_OF_A_NEW_MESSAGE: Final = {
    "jms_destination": None,
    "jms_delivery_mode": 2,
    "jms_priority": 4,
    "jms_message_id": None,
    "jms_timestamp": 0,
    "jms_expiration": 0,
    "jms_delivery_time": 0,
}
"""What the fields are before a send: if one of these is left, nobody need have put it there."""
_DECIDED_BY: Final = {
    "jms_delivery_mode": "delivery_mode",
    "jms_priority": "priority",
    "jms_message_id": "disable_message_id",
    "jms_timestamp": "disable_message_timestamp",
    "jms_expiration": "time_to_live",
    "jms_delivery_time": "delivery_delay",
}
"""Header fields, and the setting that decides each."""


def succeeding(permitted: Permitted, ids: Sequence[str], of: str) -> Expectation:
    """A send that has to succeed."""
    return Expectation([permitted], ids or ARRIVES, of)
