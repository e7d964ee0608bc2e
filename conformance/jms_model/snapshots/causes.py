"""Why a snapshot shows a message, or must not: the statements that another end breaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from jms_model.delivery.choosing import chooses
from jms_model.snapshots.things import Message, Snapshot, SnapshotState, messages_within

REWOUND: Final = "RMQ-BRW-014"
LATER: Final = "RMQ-BRW-020"
EXPIRED: Final = ("RMQ-BRW-021", "RMQ-BRW-026")
PUT_BACK: Final = "RMQ-BRW-022"
REMOVED: Final = "RMQ-BRW-023"
AT_THE_SNAPSHOT: Final = "RMQ-BRW-009"
WHEN_ASKED: Final = "RMQ-BRW-008"
CLOSED: Final = {"session": "RMQ-BRW-016", "connection": "RMQ-BRW-017"}
CLOSED_BROWSER: Final = "RMQ-BRW-019"
EVERY: Final = "RMQ-BRW-006"
MATCHING: Final = "RMQ-BRW-007"
ANEW: Final = "RMQ-BRW-015"


def of_limit(snapshot: Snapshot, message: Message, *, is_shown: bool) -> list[str]:
    """What says that a message is read or is not, where it is the other way round."""
    connection = snapshot.browser.session.connection
    if connection.is_limited and snapshot.browser.selector:
        return ["RMQ-CFG-006"]

    def explains(limit: int) -> bool:
        return (message in messages_within(snapshot.ready, limit)) is is_shown

    if snapshot.is_changed and explains(snapshot.factory_limit):
        return ["RMQ-CFG-004"]
    by_others = ["RMQ-CFG-001"] if any(map(explains, snapshot.other_limits)) else []
    if not connection.is_set:
        return [*by_others, "RMQ-CFG-010"]
    later = ["RMQ-CFG-003"] if connection.place else []
    return [*by_others, *later, "RMQ-CFG-002", value_of_limit(snapshot)]


def value_of_limit(snapshot: Snapshot) -> str:
    """The statement on a limit of this size, once it was set."""
    limit = snapshot.browser.session.connection.limit
    return "RMQ-CFG-005" if limit > 0 else "RMQ-CFG-007" if limit == 0 else "RMQ-CFG-008"


def closings(snapshot: Snapshot) -> list[str]:
    """What was closed since, by the statements that it can be read all the same."""
    closed_by = snapshot.browser.session.closed_by
    return [
        *([CLOSED[closed_by]] if closed_by else []),
        *([CLOSED_BROWSER] if snapshot.browser_closed else []),
    ]


def of_message(snapshot: Snapshot, message: Message) -> list[Sequence[str]]:
    """What has happened since to a message that is to be read, each by its statements."""
    causes: list[Sequence[str]] = [[each] for each in closings(snapshot)]
    if message.is_brief and snapshot.browser.queue.expired > snapshot.at:
        causes.append(EXPIRED)
    if message.state is not SnapshotState.READY or message.settled > snapshot.at:
        by_selector = [AT_THE_SNAPSHOT] if snapshot.browser.selector else []
        causes.append([REMOVED, *by_selector])
    return causes


def missing(snapshot: Snapshot, *, ends: bool) -> Sequence[str]:
    """What it breaks that the next message is not there; `ends`: as if there were none.

    Of several events that may have lost it none is accused.
    """
    message = snapshot.left[0]
    browser, connection = snapshot.browser, snapshot.browser.session.connection
    since, is_late = of_message(snapshot, message), message.number > browser.last_sent
    if since:
        is_sure = snapshot.is_first and not (is_late or connection.is_set)
        return since[0] if is_sure and len(since) == 1 else []
    if not snapshot.is_first:
        return [] if connection.is_set else [ANEW]
    if is_late:
        by_limit = snapshot.read or (connection.is_set and not connection.is_limited)
        return [] if by_limit else [WHEN_ASKED]
    if browser.selector:
        return [] if connection.is_set else [MATCHING]
    limited = of_limit(snapshot, message, is_shown=False) if ends else []
    if connection.is_set:
        return limited or [EVERY]
    return [EVERY, *(limited if snapshot.read else [])]


def surplus(snapshot: Snapshot, number: object) -> tuple[Sequence[str], str]:
    """What it breaks to show a message that is not to be read, and what that is."""
    every = {each.number: each for each in snapshot.browser.queue.messages}
    message = every.get(number) if isinstance(number, int) else None
    if message is None:
        return [], "gave a message of another queue"
    if message in snapshot.read:
        return [REWOUND], "gave a message again"
    if message.number > snapshot.last_sent:
        ids = [REWOUND] if snapshot.is_exhausted else [LATER]
        return ids, "gave a message that came later"
    if not chooses(snapshot.browser.selector, message.kind):
        return [MATCHING], "gave a message that the selector leaves out"
    if message in snapshot.held:
        ids = [PUT_BACK] if message.put_back > snapshot.at else []
        return ids, "gave a message that was held"
    if message in snapshot.beyond:
        return of_limit(snapshot, message, is_shown=True), "gave a message beyond the limit"
    if message.state is SnapshotState.SETTLED and message.settled <= snapshot.at:
        ids = [WHEN_ASKED] if message.settled > snapshot.browser.born else []
        ids = ids if snapshot.is_first else [ANEW]
        return ids, "gave a message that was gone"
    return missing(snapshot, ends=False) if snapshot.left else [], "gave a later message"


def at_the_end(snapshot: Snapshot) -> list[str]:
    """The statements by which nothing more is to be read."""
    queue = snapshot.browser.queue
    ids = [
        *([REWOUND] if snapshot.is_exhausted else []),
        *([LATER] if any(each.number > snapshot.last_sent for each in queue.messages) else []),
        *([PUT_BACK] if any(each.put_back > snapshot.at for each in snapshot.held) else []),
    ]
    return [*ids, *(all_of_limit(snapshot) if snapshot.beyond else [])]


def all_of_limit(snapshot: Snapshot) -> list[str]:
    """All statements that a right limit keeps."""
    connection = snapshot.browser.session.connection
    if snapshot.browser.selector:
        return ["RMQ-CFG-006"] if connection.is_limited else []
    if not connection.is_set:
        return ["RMQ-CFG-010"]
    return [
        *("RMQ-CFG-002", value_of_limit(snapshot)),
        *(["RMQ-CFG-001"] if snapshot.other_limits else []),
        *(["RMQ-CFG-003"] if connection.place else []),
        *(["RMQ-CFG-004"] if snapshot.is_changed else []),
    ]


def ids_of_giving_next(snapshot: Snapshot) -> list[str]:
    """All statements that are kept by giving the next message."""
    message = snapshot.left[0]
    browser = snapshot.browser
    is_last = len(snapshot.left) == 1 and not snapshot.beyond
    is_late = message.number > browser.last_sent
    return [
        *(id_ for ids in of_message(snapshot, message) for id_ in ids),
        *([WHEN_ASKED] if is_late and snapshot.is_first else []),
        *([] if snapshot.is_first else [ANEW]),
        MATCHING if browser.selector else EVERY,
        *(all_of_limit(snapshot) if is_last else []),
    ]
