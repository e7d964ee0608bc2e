"""What producers of both APIs can be set to (JMS 2.0, section 7.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from jms_model.answers import Expectation, Keeps, Permitted, gives, raises
from jms_model.suspects import Suspects

DEFAULTS: Final[dict[str, Any]] = {
    "disable_message_id": False,
    "disable_message_timestamp": False,
    "delivery_mode": 2,
    "priority": 4,
    "time_to_live": 0,
    "delivery_delay": 0,
}
"""Each setting, and what it is at first."""
LEGAL: Final[dict[str, Sequence[int]]] = {"delivery_mode": (1, 2), "priority": range(10)}
"""The values of settings that have others, which are refused."""


class ProducerSettings:
    """The settings of one producer."""

    def __init__(self, stem: str, refusing: Sequence[str], refused: type[Exception]) -> None:
        """With the stem of the statements, and those on modes and priorities that are refused."""
        self.values = dict(DEFAULTS)
        self.given: set[str] = set()
        """Those that were set."""
        self.suspects = Suspects()
        self._ids = {name: f"{stem}-{number:03}" for number, name in enumerate(DEFAULTS, start=1)}
        self._refusing = dict(zip(LEGAL, refusing, strict=True))
        self._refused = refused

    def get(self, name: str) -> Expectation:
        """What is permitted of reading one."""
        expectation = Expectation(
            [gives(self.values[name])], [self._ids[name]], reads=[("setting", name)]
        )
        self.suspects.judge(expectation)
        return expectation

    def set(
        self, name: str, value: Any, returns: Callable[[Callable[[], None]], Permitted]
    ) -> Expectation:
        """What is permitted of setting one; `returns` is how a call ends that takes effect."""
        if value not in LEGAL.get(name, (value,)):
            ids = [self._refusing[name]]
            keeps = [Keeps("setting", ids)]
            return Expectation([raises(self._refused)], ids, "that there is not", keeps=keeps)

        def put() -> None:
            self.values[name] = value
            self.given.add(name)

        return Expectation([returns(put)], [self._ids[name]], changes=[("setting", name)])

    def is_doubtful(self, name: str) -> bool:
        """Whether a call that was to leave it may have changed it."""
        return self.suspects.is_suspected(("setting", name))
