"""D20 and D29: a session does one thing at a time, and nothing while its connection is stopped."""

from __future__ import annotations

import numpy as np

from touchstone.checks.collecting import Collector
from touchstone.checks.columns import Columns
from touchstone.checks.segments import begins, max_before
from touchstone.checks.timelines import Timeline
from touchstone.history.values import Event


def judge_conduct(rows: Columns, events: Columns, found: Collector) -> None:
    """Judge whole sessions, whose rows are sorted by session and ridx."""
    _serial(rows, found)
    _stopped(rows, events, found)


def _serial(rows: Columns, found: Collector) -> None:
    first = begins(rows["session"])
    busy = max_before(rows["t_exit"], first)
    at = np.flatnonzero(rows["t_enter"] < busy)
    found.judged("D20", len(first) - np.count_nonzero(first))
    found.add("D20", rows["uid"][at], rows["sub"][at], rows["t_enter"][at], busy[at])


def _stopped(rows: Columns, events: Columns, found: Collector) -> None:
    switch = np.isin(events["event"], (Event.START, Event.STOP))
    session, time, event = (events[name][switch] for name in ("session", "t", "event"))
    stopped = np.unique(session[event == Event.STOP])
    judged = np.flatnonzero(np.isin(rows["session"], stopped))
    found.judged("D29", len(judged))
    line = Timeline.of(session, time)
    last = line.last(rows["session"][judged], rows["t_enter"][judged])
    state = np.append(event[line.order], Event.START)
    late = state[last] == Event.STOP
    at = judged[late]
    since = line.times[last[late]]
    found.add("D29", rows["uid"][at], rows["sub"][at], rows["t_enter"][at], since)
