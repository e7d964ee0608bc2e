"""Verifies a history: which engine, which checks, what is written where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from jms_histories.checks.words import WORDS
from jms_histories.columns import Findings, length
from jms_histories.definitions import CHECKS
from jms_histories.engines.local.local import judge_locally
from jms_histories.engines.result import VerificationResult
from jms_histories.errors import UsageError, VerificationError
from jms_histories.history.reader import History, open_history
from jms_histories.history.schema import FINDING
from jms_histories.kernels.links.merging import restricted
from jms_histories.kernels.predicates.fault_windows import record_cut
from jms_histories.verdicts import HistoryVerdict
from jms_histories.verification.described import plan_as_dict, statistics_as_dict
from jms_histories.verification.evidence import findings_with_evidence
from jms_histories.verification.explained import explained
from jms_histories.verification.verdicts import Count, counts, overall_verdict

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Engine = Literal["auto", "local", "spark"]
ENGINES: Final = ("auto", "local", "spark")
REPORT_FILE: Final = "report.json"
FINDINGS_FILE: Final = "findings.parquet"
SPARK_ROWS: Final = 50_000_000
"""From so many rows on `auto` takes Spark, if it is installed and a master is named."""


@dataclass(frozen=True)
class VolumeReport:
    """What was found in a history.

    findings is a pyarrow.Table (check, uid, sub, a, b, should), at most 1,000 rows of each check;
    counts are exact, by check. document is report.json.
    """

    run: str
    verdict: HistoryVerdict
    findings: Any
    counts: dict[str, Count]
    statistics: dict[str, Any]
    plan: dict[str, Any]
    document: dict[str, Any] = field(repr=False)

    def write(self, folder: Path) -> Path:
        """Write report.json and findings.parquet; returns the path of the first.

        Raises VerificationError if the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            pq.write_table(self.findings, folder / FINDINGS_FILE)
            report = folder / REPORT_FILE
            report.write_text(json.dumps(self.document, indent=1) + "\n", encoding="utf-8")
            return report
        except OSError as error:
            raise VerificationError(
                f"{folder} cannot be written: {error}", hint="Name another folder by --out."
            ) from error


def verify(
    path: str | Path,
    engine: Engine = "auto",
    *,
    master: str | None = None,
    spark: SparkSession | None = None,
    exact: bool = False,
    checks: Iterable[str] | None = None,
    processes: int | None = None,
    conf: Mapping[str, str] | None = None,
) -> VolumeReport:
    """Verify the history at `path`, a folder or a URL that pyarrow.fs knows.

    engine: local, spark (at `master` or in the session `spark`), or auto; conf: settings of Spark
    for a session of ours. exact: judge every
    message by the exact kernels. checks: ids to judge, all unless given; verdicts are given on
    those that the workload promises something about. Raises UsageError for an unknown check,
    HistoryError for a damaged history, VerificationError if it cannot be done.
    """
    wanted = _wanted_checks(checks)
    _refuse_unheeded_options(
        engine, spark=bool(master or conf) or spark is not None, processes=processes
    )
    history = open_history(path)
    if _uses_spark(engine, history, elsewhere=master is not None or spark is not None):
        on_spark: Any = import_module("jms_histories.engines.spark.engine")
        judged: VerificationResult = on_spark.verify_on_spark(
            history, master=master, spark=spark, exact=exact, checks=wanted, conf=conf
        )
    else:
        judged = judge_locally(history, exact=exact, processes=processes, checks=wanted)
    return report_of(history, judged, wanted)


def report_of(history: History, judged: VerificationResult, checks: Iterable[str]) -> VolumeReport:
    """The report of what an engine found."""
    manifest, spec = history.manifest, history.spec
    checks = list(checks)
    findings = restricted(judged.findings, checks)
    counted = counts(findings, manifest.checks, checks, cut=record_cut(spec.events))
    statistics = statistics_as_dict(judged.statistics, spec.events)
    plan = plan_as_dict(judged.plan)
    verdict = overall_verdict(counted)
    settings = dict(manifest.settings)
    promises: Any = settings.pop("promises", {})
    document = {
        "format": 2,
        "run": manifest.run,
        "history": history.location.folder,
        "verdict": str(verdict),
        "checks": [_check(count, promises.get(count.check)) for count in counted],
        "findings": findings_with_evidence(history, findings),
        "statistics": statistics,
        "plan": plan,
        "settings": {name: _plain_value(value) for name, value in settings.items()},
        "names": {kind: dict(names) for kind, names in manifest.names.items()},
        "words": dict(WORDS),
    }
    return VolumeReport(
        manifest.run,
        verdict,
        _table(findings),
        {count.check: count for count in counted},
        statistics,
        plan,
        document,
    )


def _table(findings: Findings) -> Any:
    """As pyarrow has it; made of buffers, since pa.array would import pandas first, if it can."""
    rows = findings.rows
    many = length(rows)
    ids = np.arange(many + 1, dtype=np.int32) * 3, rows["check"].astype("S3")
    buffers = {name: [np.ascontiguousarray(values)] for name, values in rows.items()}
    buffers |= {"check": list(ids), "should": [np.packbits(rows["should"], bitorder="little")]}
    columns = [
        pa.Array.from_buffers(
            field.type, many, [None, *(pa.py_buffer(part) for part in buffers[field.name])]
        )
        for field in FINDING
    ]
    return pa.Table.from_arrays(columns, schema=FINDING)


def _check(count: Count, promise: str | None) -> dict[str, Any]:
    check = CHECKS[count.check]
    return {
        "id": check.id,
        "name": check.name,
        "strength": str(check.strength.value),
        "promised": count.promised,
        "promise": promise,
        "violations": count.violations,
        "shoulds": count.shoulds,
        "power": count.power,
        "verdict": None if count.verdict is None else str(count.verdict),
        "reason": count.reason,
        **explained(count),
    }


def _plain_value(value: object) -> str | int | float | bool | None:
    return value if isinstance(value, str | int | float | bool | None) else json.dumps(value)


def _wanted_checks(checks: Iterable[str] | None) -> list[str]:
    wanted = sorted(set(CHECKS if checks is None else checks))
    unknown = [check for check in wanted if check not in CHECKS]
    if unknown or not wanted:
        raise UsageError(
            f"There is no check {', '.join(unknown)}" if unknown else "No check is named",
            hint="The checks are D01 to D33; docs/volume.md says what each means.",
        )
    return wanted


def _refuse_unheeded_options(engine: Engine, *, spark: bool, processes: int | None) -> None:
    """Raises UsageError for what the engine that was chosen would not heed."""
    if engine == "local" and spark:
        raise UsageError(
            "The local engine has neither a master nor settings of Spark",
            hint="Leave --master and --spark-conf out, or choose --engine spark.",
        )
    if processes is not None and engine == "spark":
        raise UsageError(
            f"{processes} processes are asked for, and Spark has tasks",
            hint="Name the master with as many, such as --master 'local[2]'.",
        )
    if processes is not None and processes < 1:
        raise UsageError(f"{processes} processes cannot verify anything", hint="Ask for 1 or more.")


def _uses_spark(engine: Engine, history: History, *, elsewhere: bool) -> bool:
    if engine not in ENGINES:
        raise UsageError(
            f"There is no engine {engine}", hint=f"Choose one of {', '.join(ENGINES)}."
        )
    rows = history.rows("send") + history.rows("delivery")
    return engine == "spark" or (engine == "auto" and elsewhere and rows >= SPARK_ROWS)
