"""What a run changes in the settings of the client under test, for all of its scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from jms_clients.presets import overlaid, setting_text


@dataclass(frozen=True)
class RunSettings:
    """What is left out of the settings that the provider adds by itself, and what is given."""

    left_out: frozenset[str] = frozenset()
    given: Mapping[str, object] = field(default_factory=dict)
    """They win over presets, and give way to what a scenario itself sets for a factory."""

    @classmethod
    def of(cls, provider: object, *, as_shipped: bool, given: Mapping[str, object]) -> Self:
        """Those of a run that leaves out all that the provider adds, or nothing."""
        return cls(frozenset(added_by(provider)) if as_shipped else frozenset(), given)

    def around(self, settings: Mapping[str, object]) -> dict[str, object]:
        """A scenario's `settings` of a client with them; None is for what is left out."""
        return overlaid(overlaid(dict.fromkeys(self.left_out), settings), self.given)

    def added(self, provider: object) -> dict[str, object]:
        """What connections are given besides the address and the login, without presets."""
        added = {name: v for name, v in added_by(provider).items() if name not in self.left_out}
        return overlaid(added, self.given)

    @property
    def texts(self) -> frozenset[str]:
        """The settings that are given, each as it is typed."""
        return frozenset(setting_text(name, value) for name, value in self.given.items())


AS_IT_IS: Final = RunSettings()
"""Those of a run that changes nothing."""


def added_by(provider: object) -> Mapping[str, object]:
    """What a provider gives every connection besides the address and the login."""
    added: Mapping[str, object] = getattr(provider, "added", {})
    return added
