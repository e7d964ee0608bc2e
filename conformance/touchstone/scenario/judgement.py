"""What a running scenario has found out so far: checks that held, failures, observables."""

from __future__ import annotations

import contextvars
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from touchstone.errors import HarnessError
from touchstone.outcomes.by_requirement import outcomes
from touchstone.outcomes.failures import Failure, failure_message, failure_of, is_client_failure
from touchstone.outcomes.from_failure import FailedComparison, failure_before, violation
from touchstone.scenario.clock import ClockWatch
from touchstone.scenario.pytest_internals import saferepr_unlimited
from touchstone.verdicts import Outcome, Verdict


@dataclass
class Judgement:
    """The judgement of one scenario in the making; written by its threads, read by the plug-in."""

    scenario: str
    ids: tuple[str, ...]
    catalogues: tuple[str, ...] = ()
    """The packages whose assertions are verdicts."""
    checks: Counter[str] = field(default_factory=Counter)
    """How many checks held, per requirement id."""
    failures: dict[str, Outcome] = field(default_factory=dict)
    """How a `judging` block failed, per id; the scenario went on behind it."""
    drawn_by: dict[str, int] = field(default_factory=dict)
    """The seed of the drawn programs that showed what was wrong, per id."""
    observables: dict[str, object] = field(default_factory=dict)
    begun: Counter[str] = field(default_factory=Counter)
    """How many `judging` blocks were begun and left neither at their end nor by a failure that was
    judged, per id: what such a block asserted is half an answer."""
    answering: tuple[str, ...] = ()
    """The ids of the innermost `judging` block; outside any, the only id of the scenario."""
    compared: tuple[str, object, object] | None = None
    """Operator and both sides of the comparison that failed last; what was seen is on the left."""
    steps: set[str] = field(default_factory=set)
    """What workloads of the scenario have done (`touchstone.catalogue.workload_steps`)."""
    control: Callable[[], str | None] | None = None
    """Sends a message by the independent client: None when it came, else what is wrong."""
    lost: Callable[[], str | None] | None = None
    """What is wrong with the broker that the scenario works on, unless it may be its own doing."""
    cut_off: Callable[[], str | None] | None = None
    """What keeps the client from its broker, the scenario's own doing included."""
    withheld: Callable[[], str | None] | None = None
    """What the broker has and keeps from consumers that wait for it."""
    not_the_clients: Callable[[], Exception | None] = lambda: None
    """What harness or adapter raised in a call or a listener, whatever the scenario made of it."""
    block_failed: Callable[[Sequence[str]], None] = lambda ids: None
    """Told the ids of a `judging` block that fails, when it does."""
    clock: ClockWatch = field(default_factory=ClockWatch)

    def __post_init__(self) -> None:
        if len(self.ids) == 1:
            self.answering = self.ids

    def outcomes(self, ended: Outcome | None) -> dict[str, Outcome]:
        """The outcome per requirement id; `ended` is what ended the body early, if anything."""
        return outcomes(
            self.ids, checks=self.checks, failures=self.failures, begun=self.begun, ended=ended
        )

    def held(self) -> None:
        """Count one check that held, for the ids being judged."""
        self.checks.update(self.answering)

    def compares(self, operator: str, left: object, right: object) -> None:
        """Keep both sides of a comparison, until it is known to have held."""
        self.compared = (operator, left, right)

    def broken_harness(self) -> str | None:
        """What the control message shows to be wrong besides the client; None when it came."""
        return _ask(self.control)

    def kept_by_the_broker(self) -> str | None:
        """What of the scenario's messages the broker keeps from its consumers; None: nothing."""
        return _ask(self.withheld)

    @property
    def _asks_the_broker(self) -> Mapping[Failure, Callable[[], str | None] | None]:
        return {
            Failure.ASSERTION: self.lost,
            Failure.EXCEPTION: self.control,
            Failure.HANG: self.cut_off,
        }

    def against_the_client(self, error: BaseException) -> Outcome:
        """VIOLATES with the failure; it counts only if the control message comes.

        Assertions may be about a private broker that the scenario ended, or about no broker: for
        them a message is sent on a shared one alone. Nor does it count if the clock was set, or if
        something that is not the client's had gone wrong before.
        """
        message = failure_message(error)
        compared, self.compared = self.compared, None
        if (before := self.not_the_clients()) is not None:
            return failure_before(message, before)
        if doubt := self._doubt(error):
            return Outcome(Verdict.INCONCLUSIVE, f"{message}; {doubt}")
        if compared is None or not isinstance(error, AssertionError):
            return violation(message, None)
        operator, *sides = compared
        seen, expected = (saferepr_unlimited(side, use_ascii=False) for side in sides)
        return violation(message, FailedComparison(operator, seen, expected))

    def _doubt(self, error: BaseException) -> str | None:
        """Why a failure that speaks against the client may not be its own."""
        if was_set := self.clock.was_set():
            return was_set
        if wrong := _ask(self._asks_the_broker[failure_of(error)]):
            return f"the control message failed too: {wrong}"
        return self.kept_by_the_broker() if isinstance(error, AssertionError) else None


def _ask(ask: Callable[[], str | None] | None) -> str | None:
    """What is wrong by the control message; a control that fails itself is wrong, too."""
    try:
        return None if ask is None else ask()
    except Exception as error:
        return failure_message(error)


_local: contextvars.ContextVar[Judgement | None] = contextvars.ContextVar("judgement", default=None)
_lock = threading.Lock()
_running: list[Judgement] = []


@contextmanager
def running(judgement: Judgement) -> Iterator[Judgement]:
    """Make `judgement` the current one, for this context and for threads that have none."""
    token = _local.set(judgement)
    with _lock:
        _running.append(judgement)
    try:
        yield judgement
    finally:
        with _lock:
            _running.remove(judgement)
        _local.reset(token)


def at_work() -> Judgement | None:
    """The judgement of the scenario that calls, also from a listener's thread; None without one."""
    judgement = _local.get()
    if judgement is not None:
        return judgement
    with _lock:
        return _running[-1] if _running else None


def current() -> Judgement:
    """The judgement of the scenario that calls; `HarnessError` without one."""
    judgement = at_work()
    if judgement is None:
        raise HarnessError(
            "No scenario is running",
            hint="Call this from a scenario, not from a module or a fixture of another test.",
        )
    return judgement


@contextmanager
def judging(*ids: str) -> Iterator[None]:
    """The assertions inside answer these requirement ids.

    A failure inside belongs to these ids alone: the scenario goes on behind the block, so that
    the others are judged as well.
    """
    judgement = current()
    if unknown := [id_ for id_ in ids if id_ not in judgement.ids]:
        raise HarnessError(
            f"{judgement.scenario} judges {unknown[0]} without declaring it",
            hint="Add the id to the scenario's @requirement.",
        )
    outside, judgement.answering = judgement.answering, ids
    judgement.begun.update(ids)
    try:
        yield
    except Exception as error:
        if not is_client_failure(error, judgement.catalogues):
            raise
        judgement.block_failed(ids)
        outcome = judgement.against_the_client(error)
        for id_ in ids:
            judgement.failures.setdefault(id_, outcome)
    finally:
        judgement.answering = outside
    judgement.begun.subtract(ids)


def observe(name: str, value: object) -> None:
    """Record a named observable, for the table of differences between clients."""
    current().observables[name] = value
