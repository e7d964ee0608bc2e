"""The 33 checks over a history, each a function as one would write it without a thought of speed.

A function's docstring is the definition of its check; the table of docs/volume.md has the same
words, and a test compares the two. It answers for a small history: findings, and power. `kernels`
are the fast twins of these functions, and are held against them, never the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from jms_histories.checks.arrivals import (
    aborted_read,
    body,
    conservation,
    headers,
    lost,
    message_id,
    once_through,
    phantom,
    wrong_subscriber,
)
from jms_histories.checks.dead_letters import (
    dead_letter_missing,
    dead_letter_of_a_finished_message,
    dead_letter_too_early,
)
from jms_histories.checks.findings import Answer, Finding
from jms_histories.checks.groups import group_order, group_split
from jms_histories.checks.redeliveries import (
    again_after_acknowledgement,
    count,
    finished_twice,
    flag_and_count,
    forgotten,
    recover,
    scope_of_acknowledge,
    two_owners,
    unflagged_redelivery,
)
from jms_histories.checks.sessions import order, priority, serial, skip, stopped
from jms_histories.checks.small_history import SmallHistory
from jms_histories.checks.timing import early, expired, liveness
from jms_histories.checks.transactions import dirty_read, torn_transaction

FUNCTIONS: Final[Mapping[str, Callable[[SmallHistory], Answer]]] = {
    "D01": lost,
    "D02": phantom,
    "D03": aborted_read,
    "D04": wrong_subscriber,
    "D05": again_after_acknowledgement,
    "D06": unflagged_redelivery,
    "D07": two_owners,
    "D08": finished_twice,
    "D09": order,
    "D10": skip,
    "D11": count,
    "D12": flag_and_count,
    "D13": body,
    "D14": headers,
    "D15": early,
    "D16": expired,
    "D17": torn_transaction,
    "D18": dirty_read,
    "D19": forgotten,
    "D20": serial,
    "D21": scope_of_acknowledge,
    "D22": group_split,
    "D23": group_order,
    "D24": dead_letter_too_early,
    "D25": dead_letter_missing,
    "D26": dead_letter_of_a_finished_message,
    "D27": message_id,
    "D28": conservation,
    "D29": stopped,
    "D30": recover,
    "D31": once_through,
    "D32": priority,
    "D33": liveness,
}
"""The checks by their ids."""


def judge(history: SmallHistory) -> tuple[list[Finding], dict[str, int]]:
    """All findings, sorted, and the power of each check."""
    answers = {check: function(history) for check, function in FUNCTIONS.items()}
    findings = sorted(finding for of_check, _ in answers.values() for finding in of_check)
    return findings, {check: power for check, (_, power) in answers.items()}
