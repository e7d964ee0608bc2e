"""Programs that send to topics with partitions, as data, and how they are drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.pulsar_wire.looks import Look
from jms_model.pulsar_wire.partitions import DEFAULT, HIGH, LEVELS, LINEAR, LOW, NON_LINEAR

GROUPS: Final = "groups"
"""In place of a mapping: messages of groups, without priorities."""
_ENOUGH: Final = 200
"""So many messages leave no partition of half of twenty out."""
_OF_EACH: Final = st.integers(5, 12)
_KIND: Final = st.sampled_from(("queue", "topic"))
_CASE: Final = st.sampled_from(
    [
        *((None, 10), (LINEAR, 10), (LINEAR, 20), (LINEAR, 30), (None, 20)),
        *((NON_LINEAR, 4), (NON_LINEAR, 8), (NON_LINEAR, 20), (NON_LINEAR, 10)),
        *((None, 10), (LINEAR, 10), ("", 0), ("", 0)),
        *((mapping, 0) for mapping in (None, LINEAR, NON_LINEAR, NON_LINEAR, GROUPS, GROUPS)),
    ]
)
"""A mapping and the number of partitions; 0: any small one."""
_FEW: Final = st.integers(1, 15)
_LEVELS: Final = st.lists(st.sampled_from(LEVELS), min_size=6, unique=True)
_OTHERS: Final = st.lists(
    st.sampled_from([level for level in LEVELS if level not in (LOW, DEFAULT, HIGH)]),
    max_size=7,
    unique=True,
)
_GROUP: Final = st.lists(
    st.sampled_from(
        ("g1", "g2", "G1", "größe", "a b", "null", "0", "ID:1", "x" * 300, "\U0001f600")
    ),
    min_size=2,
    max_size=6,
    unique=True,
)
_EITHER: Final = st.booleans()
_PRIORITIES: Final = st.lists(st.sampled_from(LEVELS), max_size=4)
_WORDS: Final = st.lists(
    st.sampled_from(("cubic", "nonlinear", "linear,non-linear", "größe", "linear2", "none", "1")),
    min_size=2,
    max_size=4,
    unique=True,
)


@dataclass(frozen=True, slots=True)
class Level:
    """So many messages of one priority."""

    level: int
    count: int
    method: str = "send"

    def __str__(self) -> str:
        return f"{self.count} messages of priority {self.level}"


@dataclass(frozen=True, slots=True)
class Group:
    """Some messages of one group; nobody pays heed to their priorities, by turns, and numbers."""

    name: str
    count: int
    priorities: Sequence[int] = ()
    numbered: bool = False
    """Whether each has its place in the group, JMSXGroupSeq."""
    method: str = "send"

    def __str__(self) -> str:
        of = f" and priorities {[*self.priorities]}" if self.priorities else ""
        of += ", numbered" * self.numbered
        return f"{self.count} messages of the group {self.name!r}{of}"


@dataclass(frozen=True, slots=True)
class Word:
    """A mapping that there is not; a connection or a context is asked for."""

    word: str
    simplified: bool
    method: str = "open"

    def __str__(self) -> str:
        api = "a context" if self.simplified else "a connection"
        return f"{api} with jms.priorityMapping={self.word!r}"


Step = Level | Group | Word | Look


@dataclass(frozen=True, slots=True)
class PlacingProgram:
    """Messages that go to one topic with partitions."""

    kind: str
    """Queue or topic."""
    mapping: str | None
    """A mapping, GROUPS, or None: it is not set."""
    partitions: int
    steps: Sequence[Step]

    def __str__(self) -> str:
        of = f"a {self.kind} of {self.partitions} partitions, mapping {self.mapping}"
        return "; ".join((of, *map(str, self.steps)))

    def showing(self, levels: Collection[object], look: Look) -> PlacingProgram:
        """The sends of these levels or groups alone, and what is looked at behind them."""
        sends = [step for step in self.steps if _step_detail(step) in levels]
        return replace(self, steps=[*sends, look])


def _step_detail(step: Step) -> object:
    match step:
        case Level():
            return step.level
        case Group():
            return step.name
    return None


def without(program: PlacingProgram, at: int) -> PlacingProgram:
    """The program without one step."""
    return replace(program, steps=[*program.steps[:at], *program.steps[at + 1 :]])


@st.composite
def placing_programs(draw: DrawFn) -> PlacingProgram:
    """Messages of some levels, or of some groups; or words that are no mapping."""
    kind = draw(_KIND)
    mapping, partitions = draw(_CASE)
    if mapping != "" and not partitions:
        partitions = draw(_FEW)
    steps: list[Step]
    if mapping == GROUPS:
        steps = [Group(name, 6, draw(_PRIORITIES), draw(_EITHER)) for name in draw(_GROUP)]
    elif mapping == "":
        words = draw(_WORDS)
        steps = [Word(word, simplified) for word in words for simplified in (False, True)]
    elif mapping == NON_LINEAR:
        enough = min(_ENOUGH, 40 + 8 * partitions)
        steps = [Level(level, enough) for level in (LOW, DEFAULT, HIGH)]
        steps += [Level(level, draw(_OF_EACH)) for level in draw(_OTHERS)]
    elif partitions == 20:
        steps = [Level(level, 40) for level in dict.fromkeys((0, 1, *draw(_LEVELS)))]
    else:
        count = draw(_OF_EACH)
        steps = [Level(level, count) for level in draw(_LEVELS)]
    return PlacingProgram(kind, mapping, partitions, steps)
