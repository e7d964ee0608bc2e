"""The fifteen counts by DuckDB, as well as it can: words of 64 messages, exact rows of suspects
only, and windows per file over rows that are in order already.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from bench.volume_counts import HistoryCounts, lo, subscriptions
from jms_histories.history.manifest import read_manifest
from jms_histories.history.reader import read_spec
from jms_histories.values import Ordering

_FRESH = "sub >= 0 and count in (1, -1) and not redelivered"
_PLAIN = "sub >= 0 and count = 1 and not redelivered and settle in (1, 2) and s_out = 0"
_SO_FAR = "rows between unbounded preceding and current row"
_BEFORE = "rows between unbounded preceding and 1 preceding"


class DuckDb:
    """A connection that counts; threads and memory (such as 2GB) as for the other engines."""

    def __init__(self, folder: Path, *, threads: int, memory: str, scratch: Path) -> None:
        self._folder = folder
        self._manifest = read_manifest(folder)
        self._spec = read_spec(folder)
        self._subs = subscriptions(self._spec)
        settings: dict[str, str | bool | int | float | list[str]] = {
            "threads": threads,
            "memory_limit": memory,
            "temp_directory": str(scratch),
            "preserve_insertion_order": False,
        }
        self._connection = duckdb.connect(config=settings)
        self._connection.execute(
            f"create view send as from '{folder}/send/*.parquet';"
            f"create view delivery as from '{folder}/delivery/*.parquet'"
        )

    def close(self) -> None:
        """Forget everything."""
        self._connection.close()

    def counts(self) -> HistoryCounts:
        """All of them, anew."""
        counted: dict[str, int] = {}
        self._words(counted)
        distribution = self._suspects(counted)
        counted["out of order"] = sum(self._disorder(path) for path in self._files())
        counted["overtaken"] = sum(self._overtaken(path) for path in self._files())
        row = self._one(
            "select count(*) filter (deliver_at <> -1), count(*) filter (deliver_at <> -1 and "
            f"t_enter < deliver_at - {self._spec.epsilon}) from delivery where sub >= 0"
        )
        counted["delayed"], counted["early"] = row
        return HistoryCounts(counted, distribution)

    def _words(self, counted: dict[str, int]) -> None:
        """Bits of 64 messages by subscription: owed, sent, got, in the dead-letter queue."""
        owed = " or ".join(f"(sub = {sub.sub} and {lo(sub)})" for sub in self._subs) or "false"
        addresses = ", ".join(f"({sub.sub}, {sub.dest})" for sub in self._subs)
        self._connection.execute(f"""create or replace temp table words as
            select sub, word,
                bit_or(case when source = 0 then bit else 0 end) as sent,
                bit_or(case when owed then bit else 0 end) as owed,
                bit_or(case when source = 1 then bit else 0 end) as got,
                bit_or(case when source = 2 then bit else 0 end) as dead,
                count(*) filter (source = 1) as n, count(*) filter (source = 2) as n_dead
            from (
                select s.sub, uid >> 6 as word, 1::ubigint << (uid & 63) as bit, 0 as source,
                    ({owed}) as owed
                from send join (values {addresses}) s(sub, dest) using (dest)
                union all
                select case when sub >= 0 then sub else -1 - sub end, uid >> 6,
                    1::ubigint << (uid & 63), case when sub >= 0 then 1 else 2 end, false
                from delivery)
            group by all""")
        row = self._one("""select sum(n + n_dead), sum(bit_count(owed & ~(got | dead))),
            sum(bit_count(got)) + sum(bit_count(dead)), sum(n - bit_count(got)),
            sum(bit_count(dead)), sum(bit_count(got)) from words""")
        names = ("deliveries", "lost", "pairs", "repeats", "dead letters", "finished")
        counted.update(zip(names, (int(value or 0) for value in row), strict=True))

    def _suspects(self, counted: dict[str, int]) -> dict[int, int]:
        """What only the rows of messages that are not plain say; the rest is known from bits."""
        limits = ", ".join(
            f"({sub.sub}, {sub.max_deliveries}, {sub.t_drained}, {sub.t_dlq_drained}, "
            f"{sub.lost_until})"
            for sub in self._subs
        )
        self._connection.execute(f"""create or replace temp table dirty as
            select sub, word, (got | dead) & ~sent as unknown from words
            where n <> bit_count(got) or (got | dead) & ~sent <> 0;
            create or replace temp table suspects as
            select uid from delivery where not ({_PLAIN})
            union select uid from delivery semi join dirty
                on word = uid >> 6 and dirty.sub = delivery.sub;
            create or replace temp table pairs as
            select uid, sub, count(*) as n, count(*) filter (fin) as fins, bool_or(fin or lazy)
                as done, bool_or(maybe) as maybe, bool_or(expire_at <> -1) as expires,
                count(*) filter (count <> -1 and count <> k) as wrong,
                min(case when mode = 1 then t_sent end) as volatile,
                arg_max(greatest(t_enter, s_inv), k) as last
            from (select *, settle in (1, 2) and s_out = 0 as fin,
                settle = 6 and s_out = 0 as lazy, settle in (1, 2, 6) and s_out = 2 as maybe,
                row_number() over (partition by uid, sub order by t_enter, session, ridx) as k
                from delivery semi join suspects using (uid) where sub >= 0)
            group by all;
            create or replace temp table copies as
            select uid, -1 - sub as sub from delivery where sub < 0 group by all""")
        row = self._one("""select coalesce(sum(wrong), 0), count(*) filter (fins > 1),
            count(*) - count(*) filter (fins > 0) from pairs""")
        counted["wrong counts"], counted["finished twice"] = int(row[0]), row[1]
        counted["finished"] -= row[2]
        unsent = """select distinct uid, sub from delivery semi join dirty
            on word = uid >> 6 and dirty.sub = (case when delivery.sub >= 0 then delivery.sub
            else -1 - delivery.sub end) and dirty.unknown & (1::ubigint << (uid & 63)) <> 0"""
        counted["phantoms"] = self._one(
            f"select count(*) from ({unsent}) anti join send using (uid)"
        )[0]
        counted["dead letters too early"] = self._one(f"""select count(*) from copies
            join (values {limits}) l(sub, most, drained, dlq, lost) using (sub)
            left join pairs using (uid, sub) where most < 0 or coalesce(n, 0) < most""")[0]
        counted["dead letters missing"] = self._one(f"""select count(*) from pairs
            join (values {limits}) l(sub, most, drained, dlq, lost) using (sub)
            anti join copies using (uid, sub)
            where most >= 0 and n >= most and not done and not maybe and not expires
            and drained >= last and dlq >= 0 and (volatile is null or volatile > lost)""")[0]
        shape = self._connection.execute("select n, count(*) from pairs group by n").fetchall()
        distribution = {int(n): int(count) for n, count in shape}
        got = self._one("select sum(bit_count(got)) from words")[0] or 0
        once = int(got) - sum(distribution.values())
        distribution[1] = distribution.get(1, 0) + once
        return distribution

    def _disorder(self, path: Path) -> int:
        """D09: the largest sequence so far of each scope; a scope is packed into one number."""
        ordering = {sub.sub: sub.ordering for sub in self._subs if sub.ordering != Ordering.NONE}
        if not ordering:
            return 0
        subs = ", ".join(map(str, ordering))
        by_key = ", ".join(str(sub) for sub, kind in ordering.items() if kind == Ordering.KEY)
        keyed = f"sub in ({by_key})" if by_key else "false"
        consumers, producers, keys = self._one(
            "select max(consumer) + 1, max(uid >> 40) + 1, max(key) + 2 from delivery"
        )
        assert max(consumers, 1) * producers * keys * 64 < 2**63, "scopes do not fit one number"
        scope = (
            f"((((consumer * {producers}::bigint + (uid >> 40)) * {keys} + "
            f"case when {keyed} then key + 1 else 0 end) * 16 + priority) * 4 + mode)"
        )
        return int(
            self._one(f"""select count(*) from (select seq, max(seq) over (partition by scope
                order by ridx {_BEFORE}) as before from (select {scope} as scope, ridx,
                uid & {(1 << 40) - 1} as seq from '{path}' where {_FRESH} and deliver_at = -1
                and sub in ({subs}) and (not ({keyed}) or key >= 0))) where seq < before""")[0]
        )

    def _overtaken(self, path: Path) -> int:
        """D32: the last delivery of each lower priority, in the order of the file, per consumer."""
        consumers = self._connection.execute(
            f"select distinct consumer, sub from '{path}' where sub >= 0"
        ).fetchall()
        levels = [
            row[0]
            for row in self._connection.execute(
                f"select distinct priority from '{path}' where {_FRESH} order by 1"
            ).fetchall()
        ]
        if len(levels) < 2:
            return 0
        lower = ", ".join(
            f"max(case when priority < {level} then t_enter end) over ({_SO_FAR}) as l{level}"
            for level in levels[1:]
        )
        chosen = " ".join(f"when {level} then l{level}" for level in levels[1:])
        slack = self._spec.priority_slack
        self._connection.execute("set preserve_insertion_order = true")
        late = 0
        for consumer, sub in consumers:
            late += self._one(f"""select count(*) from (select priority, case when deliver_at >= 0
                then deliver_at else t_sent end as available, {lower} from '{path}'
                where {_FRESH} and consumer = {consumer} and sub = {sub})
                where case priority {chosen} end > available + {slack}""")[0]
        self._connection.execute("set preserve_insertion_order = false")
        return late

    def _files(self) -> list[Path]:
        return [self._folder / file.path for file in self._manifest.of("delivery")]

    def _one(self, query: str) -> Any:
        return self._connection.execute(query).fetchone()
