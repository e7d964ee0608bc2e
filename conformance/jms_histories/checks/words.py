"""The words that definitions of checks are made of; docs/volume.md has the same, held by a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

WORDS: Final[Mapping[str, str]] = {
    "seq": "the low 40 bits of uid.",
    "producer": "the rest of uid.",
    "fin": "settle is ACK or CLIENT_ACK and s_out is OK.",
    "done": "fin, or LAZY with OK.",
    "fresh": "count is 1 or -1, and not redelivered.",
    "ordered": (
        "a row or send at a subscription whose ordering is PRODUCER, or KEY and it has a key, with "
        "deliver_at -1."
    ),
    "rows of (uid, sub)": (
        "deliveries with sub ≥ 0, ranked k = 1, 2, … by (t_enter, session, ridx)."
    ),
    "known": "the uid has a send.",
    "unknowable": (
        "a uid of a truncated producer from the cut on: no check that needs its send, D02 "
        "included, looks at it or counts it as power; sends from the cut on are ignored."
    ),
    "faulted row": (
        "a window from FAULT_BEGIN to the next FAULT_END of the same kind (open-ended without one; "
        "next by t, at equal times by the order of the table) meets [t_sent, t_enter]: begin ≤ "
        "t_enter and t_sent ≤ end."
    ),
    "should": (
        "a finding that is shown and counted apart, and does not decide; of some checks, one at a "
        "faulted row."
    ),
    "hi(s, b)": (
        "of a send s and a subscription b of its destination whose bit is set in match: fate is "
        "not NEVER, t_inv < t_to, and t_ok is -1 or t_ok ≥ t_from. Without destination or bit: not "
        "hi. What has not hi must not arrive."
    ),
    "due(s, b)": (
        "hi, t_inv ≥ t_from, max(t_inv, t_ok, t_visible, deliver_at) ≤ t_drained, expire_at is -1, "
        "mode is PERSISTENT or no fault window meets [t_inv, t_drained]; and if max_deliveries ≥ 0 "
        "then t_dlq_drained ≥ 0."
    ),
    "lo(s, b)": "due and fate is MUST. What has lo must arrive.",
    "consumer": "of D30 and D32, (session, consumer, sub ≥ 0).",
    "group": (
        "of D22 and D23, fresh rows with key ≥ 0, gseq ≥ 0 and deliver_at -1 of subscriptions that "
        "are grouped; no others are looked at."
    ),
    "membership events": (
        "of a subscription, CONSUMER_OPEN and CONSUMER_CLOSE of its consumers, KILLED and CLOSE of "
        "their sessions, and every FAULT event."
    ),
    "epoch": ("of a row, the number of membership events of its subscription with t ≤ t_sent."),
    "cell": "(sub, key, epoch, consumer).",
    "epsilon": "how far two clocks may be apart, from the manifest.",
    "priority_slack": "how much later a lower priority may still come first, from the manifest.",
}
"""What each word means."""
