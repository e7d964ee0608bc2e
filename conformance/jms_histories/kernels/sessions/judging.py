"""The checks of sessions: D09, D12, D15, D16, D20, D23 within a consumer, D29, D30, D32."""

from __future__ import annotations

from typing import Final

from jms_histories.columns import Columns, HistoryTables
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.links.partials import SessionPartials
from jms_histories.kernels.sessions.chunks import Chunk, Setting, chunks, sorted_rows
from jms_histories.kernels.sessions.group_scan import GroupScan
from jms_histories.kernels.sessions.order_scan import OrderScan
from jms_histories.kernels.sessions.priority_scan import PriorityScan
from jms_histories.kernels.sessions.recover_scan import RecoverScan
from jms_histories.kernels.sessions.row_scan import judge_rows
from jms_histories.kernels.sessions.serial_scan import SerialScan, StopScan
from jms_histories.kernels.statistics import HistoryStatistics

_JUDGED: Final = ("D09", "D12", "D15", "D16", "D20", "D21", "D23", "D29", "D30", "D32", "D33")


class SessionChecks:
    """Judges sessions while their rows stream by; the rows of each are ordered by ridx.

    What D10, D22, D23 and D33 need besides is in the partials; see `link`.
    """

    def __init__(self, setting: Setting) -> None:
        self._found = Collector()
        for check in _JUDGED:
            self._found.judged(check, 0)
        self._order, self._priority = OrderScan(setting), PriorityScan(setting)
        self._serial, self._stop = SerialScan(), StopScan(setting)
        self._recover, self._group = RecoverScan(setting), GroupScan(setting)
        judges = setting.spec.judges
        self._judges_serial, self._judges_recover = judges("D20"), judges("D30")
        self._judges_groups = judges("D22", "D23")

    def feed(self, chunk: Chunk, statistics: HistoryStatistics) -> None:
        """The next rows; what is out of order is added to the statistics."""
        judge_rows(chunk, self._found)
        self._order.feed(chunk, self._found, statistics)
        self._priority.feed(chunk, self._found, statistics)
        self._stop.feed(chunk, self._found)
        if self._judges_serial:
            self._serial.feed(chunk, self._found)
        if self._judges_recover:
            self._recover.feed(chunk)
        if self._judges_groups:
            self._group.feed(chunk, self._found)

    def partials(self) -> SessionPartials:
        """What was seen, when all rows have been fed."""
        self._recover.judge(self._found)
        return SessionPartials(self._found.findings(), self._order.scopes(), self._group.cells())


def judge_sessions(deliveries: Columns, spec: HistoryTables) -> SessionPartials:
    """Judge whole sessions, whose rows come in any order.

    deliveries have the columns of jms_histories.history.schema and hold all rows of each session in
    them.
    """
    setting = Setting.of(spec)
    checks, statistics = SessionChecks(setting), HistoryStatistics()
    for chunk in chunks(sorted_rows(deliveries), setting):
        checks.feed(chunk, statistics)
    return checks.partials()
