"""Verifies a recorded history: 33 checks over every message, here or by Spark."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from jms_brokers.machine.secrecy import learn_settings, learn_url
from jms_histories.definitions import CHECKS
from jms_histories.verdicts import HistoryVerdict
from touchstone.commands.output import add_json, console, print_json, print_table
from touchstone.errors import UsageError
from touchstone.extras import require_volume
from touchstone.results.histories import status_of, write_report
from touchstone.verdicts import ExitStatus

if TYPE_CHECKING:
    from jms_histories.verification.verification import VolumeReport


_STYLES = {
    HistoryVerdict.VIOLATES: "bold red",
    HistoryVerdict.INCONCLUSIVE: "yellow",
    HistoryVerdict.CONFORMS: "green",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which history, how, and where the report goes."""
    parser.add_argument("folder", metavar="DIR", help="a history: folder or URL")
    parser.add_argument(
        "--engine",
        choices=("auto", "local", "spark"),
        default="auto",
        help="processes of this machine, or Spark (default: auto, which is local unless a large "
        "history has a --master)",
    )
    parser.add_argument("--master", metavar="URL", help="of Spark: local[*], spark://…")
    parser.add_argument(
        "--spark-conf",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of Spark, such as spark.executor.memory=2g; may be given often",
    )
    parser.add_argument(
        "--exact", action="store_true", help="judge every message exactly, without screening"
    )
    parser.add_argument(
        "--checks", metavar="IDS", help="judge these only, such as D01,D05 (default: all)"
    )
    parser.add_argument(
        "--processes", type=int, metavar="N", help="of the local engine (default: by its size)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where report.json, findings.parquet and volume.html go (default: DIR-report)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Verify it; NumPy and Arrow are loaded only now."""
    require_volume()
    from jms_histories.verification.verification import verify

    learn_url(arguments.folder)
    report = verify(
        arguments.folder,
        arguments.engine,
        master=arguments.master,
        exact=arguments.exact,
        checks=[check.strip() for check in arguments.checks.split(",")]
        if arguments.checks
        else None,
        processes=arguments.processes,
        conf=_settings(arguments.spark_conf),
    )
    return present(report, arguments.out or folder_beside(arguments.folder), as_json=arguments.json)


def present(report: VolumeReport, folder: Path, *, as_json: bool) -> ExitStatus:
    """Write what was found to `folder`, and print it."""
    page = write_report(report, folder)
    if as_json:
        print_json(report.document)
    else:
        _print(report, page)
    return status_of(report)


def _settings(given: list[str]) -> dict[str, str]:
    for setting in given:
        if "=" not in setting:
            raise UsageError(f"--spark-conf {setting} has no value", hint="Write NAME=VALUE.")
    settings = dict(setting.split("=", 1) for setting in given)
    learn_settings(settings)
    return settings


def folder_beside(folder: str) -> Path:
    """A folder beside a local history, or here for one that is elsewhere."""
    if "://" in folder:
        return Path(f"{folder.rstrip('/').rsplit('/', 1)[-1]}-report")
    path = Path(folder).absolute()
    return path.with_name(f"{path.name}-report")


def _print(report: VolumeReport, page: Path) -> None:
    plan, statistics = report.plan, report.statistics
    promised = [count for count in report.counts.values() if count.promised]
    unjudged = {count.check: count.reason for count in promised if count.reason}
    shown = [count for count in report.counts.values() if count.promised or count.violations]
    names = {check["id"]: check["name"] for check in report.document["checks"]}
    print_table(
        report.run,
        ("check", "", "verdict", "violations", "shoulds", "power"),
        [
            (
                count.check,
                names[count.check],
                verdict_text(count.verdict, promised=count.promised),
                count.violations,
                count.shoulds,
                count.power,
            )
            for count in shown
        ],
    )
    out = console()
    out.print(
        f"{statistics['sends']:,} sent, {statistics['deliveries']:,} delivered, "
        f"{statistics['redelivered_messages']:,} messages redelivered, "
        f"{statistics['dead_letters']:,} in dead-letter queues"
    )
    out.print(
        f"{plan['engine']} engine, {plan['name']} plan, {plan['suspects']:,} messages looked at "
        f"as a whole, {plan['seconds']:.1f} s"
    )
    told = (
        f"{name.replace('_mib', ' in MiB')} {value}" for name, value in plan["settings"].items()
    )
    out.print(f"settings: {', '.join(told)}", markup=False)
    for finding in report.document["findings"][:10]:
        out.print(
            Text(
                f"  {finding['check']} uid {finding['uid']} sub {finding['sub']}: "
                f"{CHECKS[finding['check']].evidence_text(finding['a'], finding['b'])}"
                f"{' (should)' if finding['should'] else ''}"
            )
        )
    for reason in dict.fromkeys(unjudged.values()):
        which = ", ".join(check for check, why in unjudged.items() if why == reason)
        out.print(f"  {which}: {reason}", markup=False)
    out.print(Text(f"{report.verdict}", style=_STYLES[report.verdict]), end="")
    left = f"{len(promised) - len(unjudged)} of " if unjudged else ""
    out.print(f" ({left}{len(promised)} checks judged)")
    out.print(str(page), markup=False)


def verdict_text(verdict: HistoryVerdict | None, *, promised: bool) -> str:
    """How the verdict of a check is told; None: a metric, or nothing was promised."""
    if verdict is not None:
        return str(verdict)
    return "measured" if promised else "not promised"
