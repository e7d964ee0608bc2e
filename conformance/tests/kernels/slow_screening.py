"""Which messages deserve a second look, by docs/volume.md ("Screened or exact"), one by one."""

from __future__ import annotations

from collections import Counter

from jms_histories.checks.small_history import DeliveryRow, SendRow, SmallHistory
from jms_histories.values import SendFate

INTACT = 7
MOST_SUBSCRIPTIONS = 32_767
"""Deliveries at subscriptions with such numbers, and higher ones, are not told by bits."""


def suspects(history: SmallHistory) -> list[int]:
    """Messages that were not sent and delivered plainly, just where they had to be; ascending."""
    sends = [send for send in history.known_sends if _plain(send)]
    arrived = Counter((row.uid, row.sub) for row in history.deliveries if _plainly(history, row))
    pairs = [(send, at.sub) for send in sends for at in history.subscriptions]
    owed = {(send.uid, sub) for send, sub in pairs if history.lo(send, sub)}
    allowed = {(send.uid, sub) for send, sub in pairs if history.hi(send, sub)}
    wrong = [*(owed - set(arrived)), *(set(arrived) - allowed)]
    wrong += [pair for pair, times in arrived.items() if times > 1]
    return sorted(
        {send.uid for send in history.known_sends if not _plain(send)}
        | {row.uid for row in history.deliveries if not _plainly(history, row)}
        | {uid for uid, _ in wrong}
    )


def _plain(send: SendRow) -> bool:
    return send.fate == SendFate.MUST and send.tx == send.expire_at == send.cause == -1


def _plainly(history: SmallHistory, row: DeliveryRow) -> bool:
    at = history.subs.get(row.sub)
    return (
        row.fin
        and row.fresh
        and row.intact == INTACT
        and row.uid >= 0
        and 0 <= row.sub < MOST_SUBSCRIPTIONS
        and not (at is not None and at.through)
    )
