"""D13 and D14: what arrived is what was sent."""

from __future__ import annotations

import numpy as np

from jms_histories.kernels.arrays.segments import find
from jms_histories.kernels.collecting import Collector
from jms_histories.kernels.messages.index import Messages
from jms_histories.kernels.predicates.rows import readable
from jms_histories.values import Intact


def judge_digests(messages: Messages, collector: Collector) -> None:
    """Compare bodies and headers with the message's description of itself, else with its send."""
    deliveries, sends = messages.deliveries, messages.sends
    described = readable(deliveries["intact"])
    blind = np.flatnonzero(~described)
    send = find(sends["uid"], deliveries["uid"][blind])
    blind, send = blind[send >= 0], send[send >= 0]
    power = int(np.count_nonzero(described)) + len(blind)
    for check, bit, column in (
        ("D13", Intact.BODY, "body64"),
        ("D14", Intact.HEADERS, "head64"),
    ):
        wrong = np.flatnonzero(described & (deliveries["intact"] & bit == 0))
        mine, sent = deliveries[column][blind], sends[column][send]
        wrong = np.concatenate([wrong, blind[(mine != -1) & (sent != -1) & (mine != sent)]])
        at = find(sends["uid"], deliveries["uid"][wrong])
        other = np.append(sends[column], np.int64(-1))[at]
        collector.judged(check, power)
        collector.add(
            check,
            deliveries["uid"][wrong],
            deliveries["sub"][wrong],
            deliveries[column][wrong],
            other,
        )
