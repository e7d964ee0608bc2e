"""Putting the screened plan together: scans, the second look at the suspects, the links.

Its findings and power are those of `judge` on the whole history.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from jms_histories.columns import Columns, Findings, HistoryTables, length
from jms_histories.definitions import CHECKS
from jms_histories.kernels.arrays.sought import Sought
from jms_histories.kernels.collecting import no_rows
from jms_histories.kernels.links.judging import link
from jms_histories.kernels.links.merging import merge_findings, merge_messages
from jms_histories.kernels.links.partials import IDENTITIES, KEPT, MessagePartials
from jms_histories.kernels.predicates.rows import knowable
from jms_histories.kernels.screening.fingerprints import fingerprints
from jms_histories.kernels.screening.reduction import Reduced
from jms_histories.kernels.screening.send_scan import KnownSends
from jms_histories.kernels.screening.session_scan import Screened

PAIRWISE = ("D02", "D04", "D05", "D08", "D13", "D14")
"""Checks whose power a plain delivery adds one to."""


def second_look_checks(checks: Collection[str] | None) -> frozenset[str]:
    """The checks that the second look judges, of those (None: all) that are judged."""
    return frozenset(CHECKS if checks is None else checks) - {"D27"}  # namesakes tell of that


def namesakes(sends: Columns, twice: Sought, spec: HistoryTables) -> Columns:
    """mid64 and uid of the sends whose message id has one of these fingerprints."""
    chosen = twice.rows(fingerprints(sends["mid64"]))
    chosen = chosen[sends["mid64"][chosen] != -1]
    chosen = chosen[knowable(sends["uid"][chosen], spec.truncated)]
    return {name: sends[name][chosen] for name in IDENTITIES}


def link_screened(
    sent: Sequence[KnownSends],
    sessions: Sequence[Screened],
    reduced: Reduced,
    judged: Sequence[MessagePartials],
    identities: Columns,
    spec: HistoryTables,
) -> Findings:
    """All findings of a history.

    judged are those of all messages in `reduced.suspects`, each once; identities are the
    namesakes of the doubled fingerprints.
    """
    looked_at = merge_messages(judged)
    power = looked_at.findings.power
    plain = dict.fromkeys(CHECKS, 0)
    plain |= dict.fromkeys(PAIRWISE, sum(reduced.delivered.values()))
    plain["D01"] = sum(part.owed for part in sent) - power.get("D01", 0)
    plain["D11"] = sum(part.counted for part in sessions) - power.get("D11", 0)
    named = sum(part.named for part in sent)
    subs = sorted(reduced.owed)
    owed = np.array([reduced.owed[sub] for sub in subs], np.int64)
    rest = MessagePartials(
        Findings(no_rows(), {}, {}, plain),
        skippable=sum(part.ordered for part in sent),
        identities={name: identities[name].astype(kind.dtype) for name, kind in IDENTITIES.items()},
        kept={**KEPT, "sub": np.array(subs, np.int32), "owed": owed, "kept": owed},
    )
    looked_at = replace(looked_at, skippable=0, identities=IDENTITIES)
    linked = link([looked_at, rest], [part.partials for part in sessions], spec)
    unseen = named - length(identities)
    return merge_findings([linked, Findings(no_rows(), {}, {}, {"D27": unseen})])
