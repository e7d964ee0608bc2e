"""Drawn programs on redelivery limits notice wrong clients, by the statement that they break."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

import pytest

from drawn.limits_in_memory import InMemory, LimitsClient, renamed
from drawn.listed_programs import listed
from drawn.sessions_in_memory import declared_by
from jms_model.redelivery_limits.cases import NO_LOCAL, QUEUE, SELECTOR, TIME_OUT, Case
from jms_model.redelivery_limits.seen import (
    Body,
    CaseObservation,
    ObservedSubscription,
    ReceivedDelivery,
)
from jms_model.redelivery_limits.settings import DEFAULT_LETTERS, Backoff, ConsumerSettings
from jms_model.redelivery_limits.waits import LATE
from jms_scenarios.starlight.redelivery import test_drawn_programs as test_redelivery
from touchstone.drawn.driving import Disagreement
from touchstone.drawn.redelivery_limits import judging
from touchstone.drawn.redelivery_limits.drawing import programs
from touchstone.drawn.redelivery_limits.driving import LimitsDriver
from touchstone.drawn.redelivery_limits.program import Program, default_letters, without

DECLARED: Final = declared_by(test_redelivery.test_drawn_programs_on_redelivery_limits)


@cache
def drawn() -> Sequence[Program]:
    """The programs of every run."""
    return listed(programs(), judging.PROGRAMS, 0)


def driver_of(client: LimitsClient) -> LimitsDriver:
    return LimitsDriver(lambda program, begins: InMemory(client, program, begins))


def shown(driver: LimitsDriver) -> list[Disagreement]:
    return [each for program in drawn() for each in driver.disagreements(program)]


def test_a_right_client_is_accused_of_nothing_and_all_is_decided() -> None:
    driver = driver_of(LimitsClient())
    assert [str(each) for each in shown(driver)] == []
    assert sorted(id_ for id_ in DECLARED if not driver.decided[id_]) == []
    assert sorted(driver.decided.keys() - DECLARED) == []


def test_programs_of_other_seeds_accuse_a_right_client_of_nothing() -> None:
    driver = driver_of(LimitsClient())
    for program in listed(programs(), 40, 1):
        assert [str(each) for each in driver.disagreements(program)] == []


def test_what_is_told_has_one_case_and_no_values_in_its_first_line() -> None:
    for each in shown(driver_of(MovesAtTheLimit())):
        assert isinstance(each.program, Program)
        assert len(each.program.cases) == 1
        assert not any(character.isdigit() for character in each.signature)


def test_a_program_can_do_without_a_case() -> None:
    program = drawn()[0]
    assert len(without(program, 0).cases) == len(program.cases) - 1


class MovesAtTheLimit(LimitsClient):
    def sets_aside(self, case: Case, settings: ConsumerSettings, times: int) -> bool:
        return super().sets_aside(case, settings, times + 1)


class MovesOneLater(LimitsClient):
    def sets_aside(self, case: Case, settings: ConsumerSettings, times: int) -> bool:
        return super().sets_aside(case, settings, times - 1)


class MovesAtOnce(LimitsClient):
    """Whatever the limit is."""

    def sets_aside(self, case: Case, settings: ConsumerSettings, times: int) -> bool:
        return settings.policy is not None and case.shared


class NeverMoves(LimitsClient):
    """What the application rejects or does not acknowledge is dropped at the limit."""

    way = ""
    filtered = ""

    def letters(self, program: Program, at: int, case: Case) -> Sequence[str]:
        mine = case.filtered == self.filtered and (case.way == TIME_OUT) == (self.way == TIME_OUT)
        return [] if mine else super().letters(program, at, case)


class NeverMovesTimeOuts(NeverMoves):
    way = TIME_OUT


class NeverMovesWhatASelectorRejects(NeverMoves):
    filtered = SELECTOR


class NeverMovesLocal(NeverMoves):
    filtered = NO_LOCAL


class MovesToADefault(LimitsClient):
    def letters(self, program: Program, at: int, case: Case) -> Sequence[str]:
        return [default_letters(at, case)]


class MovesToItsOwnDefault(LimitsClient):
    def letters(self, program: Program, at: int, case: Case) -> Sequence[str]:
        return [each.replace("-DLQ", "-DLT") for each in super().letters(program, at, case)]


class MovesToTheFirstTopic(LimitsClient):
    """All factories have the dead letter topic of one."""

    def letters(self, program: Program, at: int, case: Case) -> Sequence[str]:
        return (
            ["letters of another"]
            if self._is_named(program, case)
            else super().letters(program, at, case)
        )

    @staticmethod
    def _is_named(program: Program, case: Case) -> bool:
        policy = program.settings(case).policy
        return policy is not None and policy.letters != DEFAULT_LETTERS


class MovesToBoth(MovesToTheFirstTopic):
    def letters(self, program: Program, at: int, case: Case) -> Sequence[str]:
        right = LimitsClient.letters(self, program, at, case)
        return [*right, default_letters(at, case)] if self._is_named(program, case) else right


class LosesTheBody(LimitsClient):
    def letter(self, body: Body) -> Body | None:
        return renamed(body, content="") if body.kind == "text" else body


class LosesProperties(LimitsClient):
    def letter(self, body: Body) -> Body | None:
        return renamed(body, properties=dict.fromkeys(body.properties))


class LosesAllProperties(LimitsClient):
    """Nobody can tell any more which message it was."""

    def letters(self, program: Program, at: int, case: Case) -> Sequence[str]:
        return []

    def nameless(self, program: Program, at: int, case: Case) -> Sequence[str]:
        return super().letters(program, at, case)


class LosesTheKind(LimitsClient):
    def letter(self, body: Body) -> Body | None:
        return renamed(body, kind="bytes", content=b"")


class CannotBeRead(LimitsClient):
    def letter(self, body: Body) -> Body | None:
        return None


class CapsByTheLeast(LimitsClient):
    def seconds(self, settings: ConsumerSettings, backoff: Backoff, times: int) -> float:
        return min(super().seconds(settings, backoff, times), backoff.least / 1000)


class GrowsOnce(LimitsClient):
    """The multiplier is ignored after the second time."""

    def seconds(self, settings: ConsumerSettings, backoff: Backoff, times: int) -> float:
        return super().seconds(settings, backoff, min(times, 1))


class KnowsNoMost(LimitsClient):
    """Waits grow beyond the longest, and more than a machine makes of it."""

    def seconds(self, settings: ConsumerSettings, backoff: Backoff, times: int) -> float:
        right = super().seconds(settings, backoff, times)
        return right + 2 * LATE if times and right == backoff.most / 1000 else right


class HasNoLeast(LimitsClient):
    def seconds(self, settings: ConsumerSettings, backoff: Backoff, times: int) -> float:
        return super().seconds(settings, backoff, times) if times else 0.0


class IgnoresTheBackoff(LimitsClient):
    """A second, whatever was set."""

    def seconds(self, settings: ConsumerSettings, backoff: Backoff, times: int) -> float:
        return 0.0 if times else 10.0


class TimesOutAtOnce(LimitsClient):
    def time_out_wait(self, settings: ConsumerSettings, times: int) -> float:
        return super().time_out_wait(settings, times) - settings.timeout / 1000


class NacksByTheBackoffOfTimeOuts(LimitsClient):
    def nack_wait(self, settings: ConsumerSettings, times: int) -> float:
        return (settings.timeout_backoff or settings.nack).seconds(times)


class TimesOutByTheBackoffOfNacks(LimitsClient):
    def time_out_wait(self, settings: ConsumerSettings, times: int) -> float:
        return settings.timeout / 1000 + settings.nack.seconds(times)


class NeverTimesOut(LimitsClient):
    def comes_again(self, case: Case, settings: ConsumerSettings) -> bool:
        return case.way != TIME_OUT


class NeverTriesAgain(LimitsClient):
    def comes_again(self, case: Case, settings: ConsumerSettings) -> bool:
        return case.way == TIME_OUT


class HasALimitOfItsOwn(LimitsClient):
    """Where no policy sets one."""

    def sets_aside(self, case: Case, settings: ConsumerSettings, times: int) -> bool:
        return super().sets_aside(case, settings, times) or (
            settings.policy is None and case.shared and times > 2
        )


class DoesNotHalt(LimitsClient):
    def halts(self) -> bool:
        return False


class CountsFromNull(LimitsClient):
    def count(self, times: int) -> int:
        return times - 1


class MovesWhatIsAcknowledged(LimitsClient):
    """What failed once is moved, though it is acknowledged then."""

    def acknowledged(self, case: Case, settings: ConsumerSettings, number: int) -> Sequence[str]:
        limited = settings.policy is not None and case.shared
        return ["letters"] if limited and case.messages[number].fails else []


class KeepsTheMessage(LimitsClient):
    def set_aside(self, case: Case, seen: CaseObservation, number: int, now: float) -> None:
        seen.backlog += 1


class DeliversItOnceMore(LimitsClient):
    """Behind the move."""

    def set_aside(self, case: Case, seen: CaseObservation, number: int, now: float) -> None:
        last = seen.of(number)[-1]
        again = ReceivedDelivery(number, 1, False, last.body, now + 1, now + 1, letters=True)
        if case.kind == QUEUE and case.way != TIME_OUT:
            seen.taken.append(again)


class StopsBehindIt(LimitsClient):
    def goes_on(self, case: Case, seen: CaseObservation) -> bool:
        return not seen.letters


class MakesNoSubscription(LimitsClient):
    def subscription(
        self, settings: ConsumerSettings, count: int
    ) -> Mapping[str, ObservedSubscription]:
        return {}


class SubscribesTooLate(LimitsClient):
    def subscription(
        self, settings: ConsumerSettings, count: int
    ) -> Mapping[str, ObservedSubscription]:
        right = super().subscription(settings, count)
        return {name: ObservedSubscription(durable=True, backlog=0) for name in right}


class SubscribesForAWhile(LimitsClient):
    def subscription(
        self, settings: ConsumerSettings, count: int
    ) -> Mapping[str, ObservedSubscription]:
        right = super().subscription(settings, count)
        return {name: ObservedSubscription(durable=False, backlog=count) for name in right}


class KeepsWhatIsRejected(LimitsClient):
    filtered = SELECTOR
    shared = False

    def rejected(self, case: Case) -> bool:
        return (case.filtered, case.shared) != (self.filtered, self.shared)


class KeepsLocal(KeepsWhatIsRejected):
    filtered = NO_LOCAL


class GivesNothingBack(KeepsWhatIsRejected):
    shared = True


class GivesNothingLocalBack(KeepsLocal):
    shared = True


class DoesNotCountRejections(LimitsClient):
    def first_count(self, case: Case) -> int:
        return 1


FACTORS: Final = {"SLJ-REDL-009", "SLJ-REDL-012"}
LEASTS: Final = {"SLJ-REDL-006", "SLJ-REDL-007", "SLJ-REDL-010", "SLJ-REDL-013"}
WRONG: Final[Sequence[tuple[type[LimitsClient], set[str]]]] = (
    (MovesAtTheLimit, {"SLJ-DLQ-002", "SLJ-DLQ-010"}),
    (MovesOneLater, {"SLJ-DLQ-002"}),
    (MovesAtOnce, {"SLJ-DLQ-002", "SLJ-DLQ-010"}),
    (NeverMoves, {"SLJ-DLQ-005", "SLJ-DLQ-009"}),
    (NeverMovesTimeOuts, {"SLJ-DLQ-005", "SLJ-DLQ-008"}),
    (NeverMovesWhatASelectorRejects, {"SLJ-DLQ-012", "SLJ-SEL-009"}),
    (NeverMovesLocal, {"SLJ-NLOC-004"}),
    (MovesToADefault, {"SLJ-DLQ-003"}),
    (MovesToItsOwnDefault, {"SLJ-DLQ-001"}),
    (MovesToTheFirstTopic, {"SLJ-DLQ-003"}),
    (MovesToBoth, {"SLJ-DLQ-003"}),
    (LosesTheBody, {"SLJ-DLQ-005"}),
    (LosesProperties, {"SLJ-DLQ-005"}),
    (LosesAllProperties, {"SLJ-DLQ-005"}),
    (LosesTheKind, {"SLJ-DLQ-005"}),
    (CannotBeRead, {"SLJ-DLQ-005"}),
    (CapsByTheLeast, FACTORS),
    (GrowsOnce, FACTORS),
    (KnowsNoMost, {"SLJ-REDL-008", "SLJ-REDL-011"}),
    (HasNoLeast, LEASTS),
    (TimesOutAtOnce, {"SLJ-REDL-005"}),
    (NeverTimesOut, {"SLJ-REDL-005"}),
    (NeverTriesAgain, {"SLJ-REDL-014"}),
    (HasALimitOfItsOwn, {"SLJ-DLQ-013"}),
    (DoesNotHalt, {"SLJ-REDL-015"}),
    (CountsFromNull, {"SLJ-REDL-001"}),
    (MovesWhatIsAcknowledged, {"SLJ-DLQ-011"}),
    (KeepsTheMessage, {"SLJ-DLQ-007"}),
    (DeliversItOnceMore, {"SLJ-DLQ-007"}),
    (StopsBehindIt, {"SLJ-DLQ-006"}),
    (MakesNoSubscription, {"SLJ-DLQ-004"}),
    (SubscribesTooLate, {"SLJ-DLQ-004"}),
    (SubscribesForAWhile, {"SLJ-DLQ-004"}),
    (KeepsWhatIsRejected, {"SLJ-SEL-003"}),
    (KeepsLocal, {"SLJ-NLOC-003"}),
    (GivesNothingBack, {"SLJ-SEL-004", "SLJ-DLQ-012", "SLJ-SEL-009"}),
    (GivesNothingLocalBack, {"SLJ-NLOC-004"}),
    (DoesNotCountRejections, {"SLJ-REDL-004", "SLJ-SEL-009"}),
)


@pytest.mark.parametrize(("client", "ids"), WRONG, ids=lambda each: getattr(each, "__name__", ""))
def test_a_wrong_client_is_accused_by_what_it_breaks(
    client: type[LimitsClient], ids: set[str]
) -> None:
    accused = {id_ for each in shown(driver_of(client())) for id_ in each.ids}
    assert accused == ids


OTHER_BACKOFF: Final[Sequence[tuple[type[LimitsClient], set[str]]]] = (
    (IgnoresTheBackoff, LEASTS | FACTORS | {"SLJ-REDL-008", "SLJ-REDL-011"}),
    (NacksByTheBackoffOfTimeOuts, {"SLJ-REDL-010", "SLJ-REDL-012", "SLJ-REDL-013"}),
    (TimesOutByTheBackoffOfNacks, {"SLJ-REDL-006", "SLJ-REDL-007", "SLJ-REDL-009"}),
)


@pytest.mark.parametrize(("client", "ids"), OTHER_BACKOFF)
def test_another_backoff_is_noticed(client: type[LimitsClient], ids: set[str]) -> None:
    accused: set[Any] = set()
    driver = driver_of(client())
    for program in listed(programs(), 20, 0):
        accused |= {id_ for each in driver.disagreements(program) for id_ in each.ids}
    assert accused
    assert accused <= ids
