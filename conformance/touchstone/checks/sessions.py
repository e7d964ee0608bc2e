"""The exact kernel over whole sessions: every delivery of a set of sessions, in any order."""

from __future__ import annotations

import numpy as np

from touchstone.checks.collecting import Collector
from touchstone.checks.columns import Columns, Spec, take
from touchstone.checks.conduct import judge_conduct
from touchstone.checks.fault_windows import fault_windows
from touchstone.checks.group_cells import judge_cells
from touchstone.checks.order_scopes import judge_order
from touchstone.checks.partials import SessionPartials
from touchstone.checks.recovery import judge_recovery
from touchstone.checks.row_checks import judge_rows
from touchstone.checks.segments import order_by
from touchstone.checks.subscriptions import Subscriptions
from touchstone.checks.urgency import judge_urgency

COLUMNS = (
    *("session", "ridx", "consumer", "sub", "uid", "key", "gseq", "priority", "mode"),
    *("deliver_at", "expire_at", "t_sent", "t_enter", "t_exit", "redelivered", "count", "s_inv"),
)
"""The columns of the deliveries that this kernel reads."""


def in_order(deliveries: Columns) -> Columns:
    """The columns that are needed, by session and ridx."""
    rows = {name: deliveries[name] for name in COLUMNS}
    session, ridx = rows["session"], rows["ridx"]
    later = session[1:] > session[:-1]
    if np.all(later | ((session[1:] == session[:-1]) & (ridx[1:] > ridx[:-1]))):
        return rows
    return take(rows, order_by(session, ridx))


def judge_sessions(deliveries: Columns, spec: Spec) -> SessionPartials:
    """Judge D09, D12, D15, D16, D20, D23 (within a consumer), D29, D30, D32 of some sessions.

    deliveries have the columns of touchstone.history.schema and hold all rows of each session in
    them. What D10, D22, D23 and D33 need besides is in the result; see `link`.
    """
    rows = in_order(deliveries)
    subscriptions, faults = Subscriptions.of(spec.subscriptions), fault_windows(spec.events)
    found = Collector()
    judge_rows(rows, spec.epsilon, found)
    judge_conduct(rows, spec.events, found)
    judge_recovery(rows, spec.events, subscriptions, faults, found)
    judge_urgency(rows, spec.priority_slack, found)
    scopes = judge_order(rows, subscriptions, faults, found)
    cells = judge_cells(rows, spec, subscriptions, faults, found)
    return SessionPartials(found.findings(), scopes, cells)
