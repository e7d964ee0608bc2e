"""The fifteen counts by Polars, as well as it can: words of 62 messages (it has no shift of bits),
exact rows of suspects only, running maxima per file over rows that are in order already.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from bench.volume_counts import HistoryCounts, QuerySubscription, subscriptions
from jms_histories.history.manifest import read_manifest
from jms_histories.history.reader import read_spec
from jms_histories.values import Ordering, SendFate

_WORD = 62
_C = pl.col
_FRESH = (_C("sub") >= 0) & _C("count").is_in([1, -1]) & ~_C("redelivered")
_FIN = _C("settle").is_in([1, 2]) & (_C("s_out") == 0)
_PLAIN = (_C("sub") >= 0) & (_C("count") == 1) & ~_C("redelivered") & _FIN
_BIT = pl.lit(2, pl.Int64) ** (_C("uid") % _WORD).cast(pl.UInt32)
_NONE = pl.lit(0, pl.Int64)
_ALL = -1


class PolarsFrames:
    """The streaming engine of Polars on one history; threads by POLARS_MAX_THREADS."""

    def __init__(self, folder: Path) -> None:
        manifest = read_manifest(folder)
        self._spec = read_spec(folder)
        self._subs = subscriptions(self._spec)
        self._files = [folder / file.path for file in manifest.of("delivery")]
        self._send = pl.scan_parquet(folder / "send" / "*.parquet")
        self._delivery = pl.scan_parquet(folder / "delivery" / "*.parquet")

    def counts(self) -> HistoryCounts:
        """All of them, anew."""
        counted: dict[str, int] = {}
        words = self._words(counted)
        distribution = self._suspects(words, counted)
        counted["out of order"] = sum(self._disorder(path) for path in self._files)
        counted["overtaken"] = sum(self._overtaken(path) for path in self._files)
        delayed = (_C("sub") >= 0) & (_C("deliver_at") != -1)
        early = _C("t_enter") < _C("deliver_at") - self._spec.epsilon
        row = (
            self._delivery.filter(delayed)
            .select(pl.len().alias("all"), early.sum().alias("early"))
            .collect(engine="streaming")
            .row(0)
        )
        counted["delayed"], counted["early"] = row
        return HistoryCounts(counted, distribution)

    def _words(self, counted: dict[str, int]) -> pl.DataFrame:
        """Bits of 62 messages by subscription: owed, sent, got, in the dead-letter queue."""
        base = {"word": _C("uid") // _WORD, "bit": _BIT}
        sent = [
            self._send.filter(_C("dest") == subscription.dest).select(
                **base,
                sub=pl.lit(subscription.sub, pl.Int32),
                source=pl.lit(0, pl.Int8),
                owed=_lo(subscription),
            )
            for subscription in self._subs
        ]
        sub = _C("sub")
        arrived = self._delivery.select(
            **base,
            sub=pl.when(sub >= 0).then(sub).otherwise(-1 - sub),
            source=pl.when(sub >= 0).then(1).otherwise(2).cast(pl.Int8),
            owed=pl.lit(False),
        )
        source = _C("source")
        words = (
            pl.concat([*sent, arrived])
            .group_by("sub", "word")
            .agg(
                sent=pl.when(source == 0).then("bit").otherwise(_NONE).bitwise_or(),
                owed=pl.when("owed").then("bit").otherwise(_NONE).bitwise_or(),
                got=pl.when(source == 1).then("bit").otherwise(_NONE).bitwise_or(),
                dead=pl.when(source == 2).then("bit").otherwise(_NONE).bitwise_or(),
                n=(source == 1).sum(),
                n_dead=(source == 2).sum(),
            )
            .collect(engine="streaming")
        )
        there = _C("got") | _C("dead")
        names = ("deliveries", "lost", "pairs", "repeats", "dead letters", "finished")
        row = words.select(
            a=(_C("n") + _C("n_dead")).sum(),
            b=_count_ones(_C("owed") & (_ALL - there)).sum(),
            c=_count_ones("got").sum() + _count_ones("dead").sum(),
            d=(_C("n").cast(pl.Int64) - _count_ones("got")).sum(),
            e=_count_ones("dead").sum(),
            f=_count_ones("got").sum(),
        ).row(0)
        counted.update(zip(names, (int(value) for value in row), strict=True))
        return words

    def _suspects(self, words: pl.DataFrame, counted: dict[str, int]) -> dict[int, int]:
        """What only the rows of messages that are not plain say; the rest is known from bits."""
        unknown = (_C("got") | _C("dead")) & (_ALL - _C("sent"))
        dirty = words.filter((_C("n") != _count_ones("got")) | (unknown != 0)).select(
            "word", "sub", unknown=unknown
        )
        sub = _C("sub")
        of = pl.when(sub >= 0).then(sub).otherwise(-1 - sub)
        rows = self._delivery.with_columns(word=_C("uid") // _WORD)
        in_dirty = rows.select("uid", "word", "sub", of=of).join(
            dirty.lazy(), left_on=["word", "of"], right_on=["word", "sub"], how="inner"
        )
        suspects = pl.concat(
            [self._delivery.filter(~_PLAIN).select("uid"), in_dirty.select("uid")]
        ).unique()
        ranked = (
            self._delivery.filter(sub >= 0)
            .join(suspects, on="uid", how="semi")
            .select(
                *("uid", "sub", "t_enter", "session", "ridx", "s_inv", "count", "expire_at"),
                volatile=pl.when(_C("mode") == 1).then("t_sent"),
                fin=_FIN,
                lazy=(_C("settle") == 6) & (_C("s_out") == 0),
                maybe=_C("settle").is_in([1, 2, 6]) & (_C("s_out") == 2),
            )
            .collect(engine="streaming")
            .sort("uid", "sub", "t_enter", "session", "ridx")
            .with_columns(k=pl.int_range(pl.len()).over("uid", "sub") + 1)
        )
        pairs = ranked.group_by("uid", "sub").agg(
            n=pl.len(),
            fins=_C("fin").sum(),
            done=(_C("fin") | _C("lazy")).any(),
            maybe=_C("maybe").any(),
            expires=(_C("expire_at") != -1).any(),
            wrong=((_C("count") != -1) & (_C("count") != _C("k"))).sum(),
            last=pl.max_horizontal("t_enter", "s_inv").last(),
            volatile=_C("volatile").min(),
        )
        copies = (
            self._delivery.filter(sub < 0)
            .select("uid", sub=(-1 - sub).cast(pl.Int32))
            .unique()
            .collect(engine="streaming")
        )
        counted["wrong counts"] = int(pairs["wrong"].sum())
        counted["finished twice"] = pairs.filter(_C("fins") > 1).height
        counted["finished"] -= pairs.filter(_C("fins") == 0).height
        missing = (
            in_dirty.filter((_C("unknown") & _BIT) != 0)
            .select("uid", "sub")
            .unique()
            .collect(engine="streaming")
        )
        counted["phantoms"] = (
            (missing.lazy().join(self._send.select("uid"), on="uid", how="anti").select(pl.len()))
            .collect(engine="streaming")
            .item()
        )
        limits = pl.DataFrame(
            {
                "sub": [subscription.sub for subscription in self._subs],
                "most": [subscription.max_deliveries for subscription in self._subs],
                "drained": [subscription.t_drained for subscription in self._subs],
                "dlq": [subscription.t_dlq_drained for subscription in self._subs],
                "lost": [subscription.lost_until for subscription in self._subs],
            },
            schema={"sub": pl.Int32, **dict.fromkeys(("most", "drained", "dlq", "lost"), pl.Int64)},
        )
        counted["dead letters too early"] = (
            copies.join(limits, on="sub")
            .join(pairs.select("uid", "sub", "n"), on=["uid", "sub"], how="left")
            .filter((_C("most") < 0) | (_C("n").fill_null(0).cast(pl.Int64) < _C("most")))
            .height
        )
        counted["dead letters missing"] = (
            pairs.join(limits, on="sub")
            .join(copies, on=["uid", "sub"], how="anti")
            .filter(
                (_C("most") >= 0)
                & (_C("n").cast(pl.Int64) >= _C("most"))
                & ~(_C("done") | _C("maybe") | _C("expires"))
                & (_C("drained") >= _C("last"))
                & (_C("dlq") >= 0)
                & (_C("volatile").is_null() | (_C("volatile") > _C("lost")))
            )
            .height
        )
        distribution = dict(pairs.group_by("n").len().rows())
        once = int(words.select(_count_ones("got").sum()).item()) - pairs.height
        distribution[1] = distribution.get(1, 0) + once
        return distribution

    def _disorder(self, path: Path) -> int:
        """D09: the largest sequence so far of each scope."""
        kinds = {sub.sub: sub.ordering for sub in self._subs if sub.ordering != Ordering.NONE}
        keyed = _C("sub").is_in([sub for sub, kind in kinds.items() if kind == Ordering.KEY])
        return int(
            pl.scan_parquet(path)
            .filter(_FRESH & (_C("deliver_at") == -1) & _C("sub").is_in(list(kinds)))
            .filter(~keyed | (_C("key") >= 0))
            .select(
                who=_C("consumer").cast(pl.Int64) * (1 << 32) + (_C("uid") // (1 << 40)),
                what=pl.when(keyed).then("key").otherwise(-1).cast(pl.Int64) * 64
                + _C("priority") * 4
                + _C("mode"),
                seq=_C("uid") % (1 << 40),
            )
            .with_columns(most=_C("seq").cum_max().over("who", "what"))
            .filter(_C("seq") < _C("most"))
            .select(pl.len())
            .collect(engine="streaming")
            .item()
        )

    def _overtaken(self, path: Path) -> int:
        """D32: the last delivery of each lower priority, in the order of the file, per consumer."""
        fresh = pl.scan_parquet(path).filter(_FRESH)
        who = fresh.select("consumer", "sub").unique().collect(engine="streaming").rows()
        levels = (
            fresh.select("priority")
            .unique()
            .collect(engine="streaming")["priority"]
            .sort()
            .to_list()
        )
        if len(levels) < 2:
            return 0
        overtaken = 0
        for consumer, sub in who:
            rows = fresh.filter((_C("consumer") == consumer) & (_C("sub") == sub)).select(
                "priority",
                limit=pl.when(_C("deliver_at") >= 0).then("deliver_at").otherwise("t_sent")
                + self._spec.priority_slack,
                **{
                    f"l{level}": pl.when(_C("priority") < level).then("t_enter").cum_max()
                    for level in levels[1:]
                },
            )
            late: Any = pl.any_horizontal(
                (_C("priority") == level) & (_last_value(f"l{level}") > _C("limit"))
                for level in levels[1:]
            )
            overtaken += rows.filter(late).select(pl.len()).collect(engine="streaming").item()
        return overtaken


def _last_value(name: str) -> pl.Expr:
    return _C(name).forward_fill().fill_null(-1)


def _count_ones(what: Any) -> pl.Expr:
    expression = _C(what) if isinstance(what, str) else what
    return expression.bitwise_count_ones().cast(pl.Int64)


def _lo(sub: QuerySubscription) -> pl.Expr:
    if sub.t_drained < 0 or (sub.max_deliveries >= 0 and sub.t_dlq_drained < 0):
        return pl.lit(False)
    latest = pl.max_horizontal("t_inv", "t_ok", "t_visible", "deliver_at")
    return (
        (_C("fate") == SendFate.MUST)
        & ((_C("mode") == 2) | (_C("t_inv") > sub.lost_until))
        & (_C("t_inv") >= sub.t_from)
        & (_C("t_inv") < sub.t_to)
        & ((_C("t_ok") == -1) | (_C("t_ok") >= sub.t_from))
        & (latest <= sub.t_drained)
        & (_C("expire_at") == -1)
        & ((_C("match") & (1 << sub.bit)) != 0)
    )
