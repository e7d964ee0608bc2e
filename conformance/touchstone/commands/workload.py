"""Drives many producers and consumers at once, records what each does, and verifies the whole.

A workload is described by `touchstone workload list`: what it drives, and which checks it promises
anything about. `run` leaves a folder with the recording and the history made from it, which
`touchstone verify` judges again at any time.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from touchstone.brokers.option import broker_settings, read_token
from touchstone.commands.output import add_json, console, print_json, print_table
from touchstone.commands.verify import folder_beside, present
from touchstone.errors import UsageError
from touchstone.extras import require_volume
from touchstone.verdicts import ExitStatus

if TYPE_CHECKING:
    from jms_histories.values import FaultKind
    from touchstone.workloads.driving import Driven

_FAULTS = {"restart": "BROKER_RESTART", "cut": "CUT", "crash": "CONSUMER_CRASH"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Run one, or list all."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    run = actions.add_parser("run", help="drive one workload", description=__doc__)
    run.add_argument("--workload", default="flagship", metavar="NAME", help="default: flagship")
    run.add_argument("--provider", default="reference", metavar="NAME")
    run.add_argument("--messages", type=int, metavar="N", help="how many are sent in all")
    run.add_argument("--seed", type=int, default=1, help="what is drawn follows from it")
    run.add_argument(
        "--faults",
        metavar="LIST",
        help=f"instead of the workload's own: none, or some of {', '.join(_FAULTS)}, by commas",
    )
    run.add_argument(
        "--broker", default="embedded", help="embedded, embedded:VERSION, container or a URL"
    )
    run.add_argument("--admin-url", metavar="URL", help="the admin URL of an external broker")
    run.add_argument("--token-file", type=Path, metavar="FILE", help="a token to get in by")
    run.add_argument("--tls-trust-certs", metavar="FILE", help="PEM file of an authority")
    run.add_argument("--results", type=Path, default=Path("results"), metavar="DIR")
    run.add_argument("--offline", action="store_true", help="download nothing")
    run.add_argument(
        "--no-verify", action="store_true", help="leave the history to `touchstone verify`"
    )
    add_json(run)
    add_json(actions.add_parser("list", help="what there is, and what each promises"))


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Run or list."""
    return _list(arguments) if arguments.action == "list" else _run(arguments)


def _list(arguments: argparse.Namespace) -> ExitStatus:
    from jms_histories.definitions import CHECKS
    from touchstone.workloads.catalogue import WORKLOADS

    if arguments.json:
        print_json(
            {
                "format": 1,
                "workloads": [
                    {
                        "name": workload.name,
                        "doc": workload.doc,
                        "messages": workload.messages,
                        "families": sorted(workload.families),
                        "needs": sorted(workload.capabilities),
                        "exercises": list(workload.exercises),
                        "promises": dict(workload.promises),
                    }
                    for workload in WORKLOADS.values()
                ],
            }
        )
        return ExitStatus.NOTHING_UNEXPECTED
    rows = [
        (
            workload.name,
            workload.doc,
            ", ".join(workload.exercises),
            " ".join(sorted(workload.promises)),
        )
        for workload in WORKLOADS.values()
    ]
    print_table("", ("workload", "what it does", "exercises", "promises"), rows)
    meant = {check for workload in WORKLOADS.values() for check in workload.promises}
    print_table("", ("check", "name"), [(id_, CHECKS[id_].name) for id_ in sorted(meant)])
    return ExitStatus.NOTHING_UNEXPECTED


def _run(arguments: argparse.Namespace) -> ExitStatus:
    require_volume()
    from jms_histories.history.seal import HISTORY, seal
    from jms_histories.verification.verification import verify
    from touchstone.workloads.catalogue import workload
    from touchstone.workloads.driving import WorkloadRequest, drive

    chosen = workload(arguments.workload)
    wanted = WorkloadRequest(
        workload=chosen,
        provider=arguments.provider,
        messages=chosen.messages if arguments.messages is None else arguments.messages,
        seed=arguments.seed,
        results=arguments.results,
        broker=broker_settings(
            arguments.broker,
            family=_family(arguments.provider),
            admin_url=arguments.admin_url,
            token=read_token(arguments.token_file) if arguments.token_file else None,
            trust_certificate=arguments.tls_trust_certs,
            offline=arguments.offline,
        ),
        faults=_faults(arguments.faults),
    )
    out = console()

    def say(line: str) -> None:
        if not arguments.json:
            out.print(line, markup=False)

    driven = drive(wanted, say)
    for line in _lines(driven):
        say(line)
    if driven.outcome.failure:
        say(f"INCONCLUSIVE: {driven.outcome.failure}")
        say(f"The recording is in {driven.folder}; nothing is concluded from a part of it.")
        if arguments.json:
            print_json(_as_json(driven))
        return ExitStatus.COULD_NOT_JUDGE
    seal(driven.folder)
    say(f"history: {driven.folder / HISTORY}")
    if arguments.no_verify:
        if arguments.json:
            print_json(_as_json(driven))
        return ExitStatus.NOTHING_UNEXPECTED
    history = str(driven.folder / HISTORY)
    return present(verify(history), folder_beside(history), as_json=arguments.json)


def _family(provider: str) -> str:
    from jms_clients.registry import load_provider

    return load_provider(provider).broker_family


def _faults(text: str | None) -> tuple[FaultKind, ...] | None:
    from jms_histories.values import FaultKind

    if text is None:
        return None
    names = [name for name in text.split(",") if name not in ("", "none")]
    if unknown := [name for name in names if name not in _FAULTS]:
        raise UsageError(
            f"There is no fault {unknown[0]!r}", hint=f"There are none, {', '.join(_FAULTS)}."
        )
    return tuple(FaultKind[_FAULTS[name]] for name in names)


def _lines(driven: Driven) -> list[str]:
    outcome = driven.outcome
    lines = [
        f"sent {outcome.sent:,}, received {outcome.received:,} in {driven.seconds:.1f} s in all"
    ]
    if rates := outcome.rates:
        lines.append(
            f"{rates['sent_a_second']:,} sent a second for {outcome.sending:.1f} s, "
            f"{rates['received_a_second']:,} received a second until {outcome.draining:.1f} s later"
        )
    return lines


def _as_json(driven: Driven) -> dict[str, object]:
    outcome = driven.outcome
    return {
        "format": 1,
        "folder": str(driven.folder),
        "sent": outcome.sent,
        "received": outcome.received,
        "sending_seconds": round(outcome.sending, 3),
        "draining_seconds": round(outcome.draining, 3),
        "seconds": round(driven.seconds, 3),
        "trouble": outcome.failure,
    }
