"""Browsers: what they say of themselves, and what their enumerations show (JMS 2.0, 4.1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from jms_model.answers import Expectation, anything, gives, raises, succeeds
from jms_model.delivery.backlog import Backlog, Copy, MessageState
from jms_model.delivery.choosing import chooses, content_of, kind_of
from jms_model.delivery.provider import ModelProvider
from jms_model.delivery.session import Session
from jmsapi.errors import IllegalStateException, UnsupportedOperationException

PAST: Final = "NoSuchElementException"
"""What an enumeration gives behind its end."""
TAKES_NOTHING: Final = ("JMS-BRW-001", "RMQ-BRW-001", "RMQ-BRW-028")
_WHOLE: Final = ("JMS-BRW-002", "RMQ-BRW-006")
_MATCHING: Final = ("JMS-BRW-003", "RMQ-BRW-007")
_TRUE: Final = ("JMS-SEL-018", "SLJ-SEL-005")
_DUE: Final = "SLJ-BRW-002"
_ANEW: Final = ("API-BRW-005", "RMQ-BRW-015")
_EMPTY: Final = "API-BRW-003"
_END: Final = "API-BRW-004"
_PAST: Final = "RMQ-BRW-011"


@dataclass(slots=True, eq=False)
class Browser:
    """A browser of a queue."""

    session: Session
    queue: str
    backlog: Backlog
    selector: str | None
    closed: bool = False
    enumerations: int = 0
    mixed: int = -1
    """The number of the latest enumeration since whose beginning an earlier one was read."""

    @property
    def is_certain(self) -> bool:
        """Whether it is known what an enumeration shows that begins now."""
        is_usable = not (self.closed or self.session.closed_by) and self.session.connection.started
        return is_usable and not (self.backlog.is_read or self.backlog.is_held)


@dataclass(slots=True, eq=False)
class Enumeration:
    """One look at the queue."""

    browser: Browser
    number: int
    """How many enumerations the browser had had before it."""
    openings: int
    """How many consumers the queue had had when it began."""
    sure: list[Copy]
    """What it has to show, unless somebody consumes meanwhile."""
    until: int
    """The number of the last message that was sent before."""
    in_order: bool
    shown: list[Copy] = field(default_factory=list)
    asked: int = 0
    """How often it was asked for more since it showed something."""

    @property
    def session(self) -> Session:
        """The session that it belongs to."""
        return self.browser.session

    @property
    def is_open(self) -> bool:
        """Whether somebody has closed what it is of."""
        return not (self.browser.closed or self.browser.session.closed_by)

    @property
    def is_certain(self) -> bool:
        """Whether nobody has consumed, or could have, since it began, and it is alone.

        What becomes of two enumerations of one browser that are read in turn JMS does not say.
        """
        is_latest = self.number == self.browser.enumerations - 1
        is_alone = is_latest and self.browser.mixed < self.number
        return is_alone and self.openings == self.browser.backlog.openings

    @property
    def is_first(self) -> bool:
        """Whether its browser had none before."""
        return self.number == 0

    @property
    def left(self) -> list[Copy]:
        """What it has to show still."""
        return [copy for copy in self.sure if copy not in self.shown]

    @property
    def late(self) -> list[Copy]:
        """What it may show besides: messages that came later."""
        waiting = self.browser.backlog.waiting(self.browser.selector)
        return [
            each for each in waiting if each.sent.number > self.until and each not in self.shown
        ]


@dataclass(slots=True, eq=False)
class Browsed:
    """A message that an enumeration gave."""

    session: Session
    copy: Copy
    changed: bool = False


def create(
    provider: ModelProvider, session: Session, queue: str, selector: str | None, makes: str
) -> Expectation | None:
    """A browser; not every client has selectors."""
    if session.closed_by:
        return provider.refused(session.closed_by)
    [backlog] = provider.backlogs(queue)
    made = provider.makes(makes, Browser(session, queue, backlog, selector))
    ways = [succeeds(made), *([raises(UnsupportedOperationException)] if selector else [])]
    return Expectation(ways, ["RMQ-BRW-004" if selector else "RMQ-BRW-003"])


def queue(_: ModelProvider, browser: Browser) -> Expectation | None:
    """getQueue, by its name."""
    if refused := _refuse(browser):
        return refused
    if browser.session.closed_by:
        return None
    ids = ["API-BRW-001", *(["RMQ-BRW-013"] if browser.enumerations else [])]
    return Expectation([gives(browser.queue)], ids)


def message_selector(_: ModelProvider, browser: Browser) -> Expectation | None:
    """getMessageSelector: null where there is none."""
    if refused := _refuse(browser):
        return refused
    if browser.session.closed_by:
        return None
    ids = ["API-BRW-002", *(["JMS-BRW-003", "RMQ-BRW-012"] if browser.selector else [])]
    words = {"": "of an empty selector", None: "of none"}
    situation = words.get(browser.selector, "of a selector")
    return Expectation([gives(browser.selector or None)], ids, situation)


def enumeration(provider: ModelProvider, browser: Browser, makes: str) -> Expectation | None:
    """getEnumeration: where somebody consumes, what it shows JMS leaves open."""
    if refused := _refuse(browser):
        return refused
    session, backlog = browser.session, browser.backlog
    if session.closed_by or not session.connection.started:
        return None
    is_certain = not (backlog.is_read or backlog.is_held)
    sure = backlog.waiting(browser.selector) if is_certain else []
    senders = {copy.sent.sender for copy in sure}
    made = Enumeration(
        browser, browser.enumerations, backlog.openings if is_certain else -1, sure,
        provider.sent, len(senders) < 2 and not any(copy.deliveries for copy in sure),
    )  # fmt: skip

    def make() -> None:
        provider.objects[makes] = made
        browser.enumerations += 1

    return Expectation([succeeds(make)], [])


def more(_: ModelProvider, of: Enumeration) -> Expectation | None:
    """hasMoreElements, which moves nothing."""
    if not of.is_open:
        return None

    def ask() -> None:
        of.asked += 1

    if not of.is_certain:
        return Expectation([anything(partial(_mixes, of))], [])
    left = of.left
    ways = [gives(True, ask)] if left or of.late else []
    ways += [] if left else [gives(False, ask)]
    situation = _situation(of)
    if left:
        ids = _listing_ids(of) if of.is_first else _ANEW
        return Expectation(ways, ids, situation, accuse=lambda _: _omission_ids(of))
    return Expectation(ways, _ids_at_the_end(of), situation)


def next_(provider: ModelProvider, of: Enumeration, makes: str) -> Expectation | None:
    """nextElement: the number of the next message."""
    if not of.is_open:
        return None
    if not of.is_certain:
        return Expectation([anything(partial(_mixes, of))], [])
    left, late = of.left, of.late
    comes = left[:1] if of.in_order and left else [*left, *late]
    ways = [gives(copy.sent.number, partial(_shows, provider, of, copy, makes)) for copy in comes]
    if not left:
        ways.append(gives(PAST))
    wrong = partial(_wrong, of)
    ids = (
        [*_listing_ids(of), *_ANEW[: 2 * (not of.is_first)]]
        if left
        else [*_ids_at_the_end(of), _PAST]
    )
    return Expectation(
        ways, ids, _situation(of),
        accuse=lambda number: wrong(number)[0], name=lambda number: wrong(number)[1],
    )  # fmt: skip


def _mixes(of: Enumeration) -> None:
    """It is read, while there is a later one, perhaps."""
    latest = of.browser.enumerations - 1
    if of.number < latest:
        of.browser.mixed = latest


def _shows(provider: ModelProvider, of: Enumeration, copy: Copy, makes: str) -> None:
    """It was there, and has to stay; so has what the selector passed by."""
    of.shown.append(copy)
    of.asked = 0
    provider.objects[makes] = Browsed(of.session, copy)
    for each in of.browser.backlog.waiting():
        passed = each is copy or each.sent.number < copy.sent.number
        if passed and not each.deliveries:
            each.ids = list(TAKES_NOTHING)
            is_shown = each in of.shown
            each.words = "that was browsed" if is_shown else "that a browser passed by"


def _wrong(of: Enumeration, number: object) -> tuple[Sequence[str], str]:
    """What another element breaks, and what it is."""
    backlog, left = of.browser.backlog, of.left
    if number == PAST:
        return _omission_ids(of), "gave none"
    copy = backlog.copies.get(number) if isinstance(number, int) else None
    if copy is None:
        return [], "gave a message of another queue"
    if copy in of.shown:
        return [_END], "gave a message again"
    if copy.left:
        return copy.ids, f"gave a message {copy.words}"
    if copy.state is not MessageState.WAITING:
        ids = ["JMS-BRW-002", *([] if left or of.shown else [_EMPTY])]
        return ids, "gave a message that is settled"
    if not chooses(of.browser.selector, copy.sent.kind):
        return [*_MATCHING, *_TRUE], "gave a message that the selector leaves out"
    if left and of.asked and of.is_first:
        return [_END], "gave a later message, since it was asked for more"
    return _omission_ids(of), "gave a later message"


def _listing_ids(of: Enumeration) -> list[str]:
    """The statements that all is listed."""
    if of.browser.selector:
        return [*_MATCHING, *_TRUE]
    return [*_WHOLE, _DUE]


def _omission_ids(of: Enumeration) -> Sequence[str]:
    """What it breaks that something is not listed: of a selector alone nothing is said by that."""
    if not of.is_first:
        return _ANEW
    return [id_ for id_ in _listing_ids(of) if id_ not in _TRUE]


def _ids_at_the_end(of: Enumeration) -> list[str]:
    if any(copy.left for copy in of.browser.backlog.copies.values()):
        return []  # whether what a closed consumer had got is settled is another matter
    return [_END if of.shown else _EMPTY, "RMQ-BRW-010"]


def _situation(of: Enumeration) -> str:
    later = "" if of.is_first else ", in a later enumeration"
    selector = f" by {kind_of(of.browser.selector)}" if of.browser.selector else ""
    if of.left:
        return f"before the end{selector}{later}"
    if of.shown:
        return f"behind the last{selector}{later}"
    return f"of nothing{selector}{later}"


def content(_: ModelProvider, message: Browsed) -> Expectation | None:
    """What an application sent, as a consumer sees it."""
    if message.changed:
        return None
    expected = content_of(message.copy.sent.text, message.copy.sent.number, message.copy.sent.kind)
    return Expectation(
        [gives(expected)], ["JMS-BRW-002", "RMQ-BRW-005"], "of a browsed message",
        name=lambda _: "gave another",
    )  # fmt: skip


def change(_: ModelProvider, message: Browsed) -> Expectation:
    """The application writes into what it was given, of which no consumer sees anything."""
    return Expectation([succeeds(partial(setattr, message, "changed", True))], [])


def close(_: ModelProvider, browser: Browser) -> Expectation:
    """A browser may be closed again."""
    again = ["API-BRW-007"] if browser.closed else []
    closes = partial(setattr, browser, "closed", True)
    return Expectation([succeeds(closes)], again, "of a closed browser" if again else "")


def _refuse(browser: Browser) -> Expectation | None:
    if not browser.closed or browser.session.closed_by:
        return None
    return Expectation([raises(IllegalStateException)], ["API-BRW-006"], "of a closed browser")
