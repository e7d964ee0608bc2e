"""A program in the making: the model goes along, so that each call makes sense."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.resources.rules import expect
from jms_model.resources.things import (
    Session,
    World,
)
from touchstone.drawn.resources.program import Step

T = TypeVar("T")
DECISIONS: Final = st.integers(0, 9)
_FLIPS: Final = st.booleans()


@dataclass
class Growing:
    """A program in the making."""

    draw: DrawFn
    subject: str
    simplified: bool
    domain: str = ""
    world: World = field(default_factory=World)
    steps: list[Step] = field(default_factory=list)

    def adds(self, on: str, method: str, *args: Any, makes: str = "") -> str:
        """The step is one of the program, if it makes sense; gives the name of what it makes."""
        name = f"{makes}{len(self.steps)}" if makes else ""
        expectation = expect(self.world, on, method, args, name)
        if expectation is None:
            return ""
        self.steps.append(Step(on, method, args, name))
        expectation.permitted[0].effect()
        return name if name in self.world.objects else ""

    def pick(self, among: Sequence[T]) -> T:
        """One of several."""
        return self.draw(st.sampled_from(among))

    def flips(self) -> bool:
        """Either."""
        return self.draw(_FLIPS)

    def names(self, *kinds: type[Any], where: Callable[[Any], bool] = lambda _: True) -> list[str]:
        """The names of what there is of a kind."""
        every = self.world.objects.items()
        return [name for name, each in every if isinstance(each, kinds) and where(each)]

    def sessions(self) -> list[str]:
        """The open ones."""
        return self.names(Session, where=lambda each: not each.closed_by)
