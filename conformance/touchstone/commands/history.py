"""Makes, rewrites and shows histories: what large workloads did, message by message."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from jms_brokers.machine.secrecy import learn_url
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.extras import require_volume
from touchstone.verdicts import ExitStatus

if TYPE_CHECKING:
    from jms_histories.history.manifest import Manifest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with a history."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    seal = actions.add_parser("seal", help="make RUN/history of what RUN/recording holds")
    seal.add_argument("folder", type=Path, metavar="RUN", help="a run's folder, results/…")
    _add_compression(seal)
    bucket = actions.add_parser(
        "bucket", help="rewrite a history so that all rows of a message lie together"
    )
    bucket.add_argument("folder", metavar="DIR", help="a history: folder or URL")
    bucket.add_argument(
        "--buckets", type=int, metavar="N", help="a power of 2; default: by the number of rows"
    )
    bucket.add_argument("--out", type=Path, metavar="DIR", help="default: DIR-buckets")
    _add_compression(bucket)
    _add_make(actions)
    show = actions.add_parser("show", help="what a history holds")
    show.add_argument("folder", metavar="DIR", help="a history: folder or URL")
    add_json(show)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Do it; histories need NumPy and Arrow, which are loaded only now."""
    require_volume()
    learn_url(str(arguments.folder))
    _ACTIONS[arguments.action](arguments)
    return ExitStatus.NOTHING_UNEXPECTED


def _add_compression(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--compression",
        choices=("lz4", "zstd"),
        default="lz4",
        help="lz4 is fastest, zstd takes a quarter less room (default: lz4)",
    )


def _add_make(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    make = actions.add_parser(
        "make", help="simulate a history, with planted anomalies if asked, and expected.json"
    )
    make.add_argument("folder", type=Path, metavar="DIR", help="a new folder")
    make.add_argument("--messages", type=int, required=True, metavar="N", help="1000 or more")
    make.add_argument(
        "--faults", type=Path, metavar="FILE", help='TOML, such as "all = 10" or "D05 = 3"'
    )
    make.add_argument("--seed", type=int, default=1, metavar="N", help="default: 1")
    make.add_argument(
        "--preset",
        choices=("plain", "hard"),
        default="plain",
        help="hard: a fifth transacted, eight sessions far out of order (default: plain)",
    )
    make.add_argument(
        "--subscriptions",
        metavar="NAME=WEIGHT,…",
        help="weights of queue (required), durable, grouped, through",
    )
    _add_compression(make)


def _make(arguments: argparse.Namespace) -> None:
    from jms_histories.history.manifest import read_manifest
    from jms_histories.history.simulation.faults import NO_FAULTS, read_faults
    from jms_histories.history.simulation.making import make_history
    from jms_histories.history.simulation.settings import preset, read_weights

    settings = preset(
        arguments.preset,
        arguments.messages,
        arguments.seed,
        subscriptions=read_weights(arguments.subscriptions),
    )
    faults = read_faults(arguments.faults) if arguments.faults else NO_FAULTS
    make_history(arguments.folder, settings, faults, compression=arguments.compression)
    _print_written(arguments.folder, read_manifest(arguments.folder))


def _seal(arguments: argparse.Namespace) -> None:
    from jms_histories.history.seal import HISTORY, seal

    manifest = seal(arguments.folder, compression=arguments.compression)
    _print_written(arguments.folder / HISTORY, manifest)


def _bucket(arguments: argparse.Namespace) -> None:
    from jms_histories.history.bucket import bucket

    target = arguments.out or Path(f"{arguments.folder.rstrip('/')}-buckets")
    manifest = bucket(
        arguments.folder, target, arguments.buckets, compression=arguments.compression
    )
    _print_written(target, manifest)


def _show(arguments: argparse.Namespace) -> None:
    from jms_histories.history.reader import open_history
    from jms_histories.history.summary import summary

    facts = summary(open_history(arguments.folder))
    if arguments.json:
        print_json({"format": 1, "history": facts})
        return
    print_table(
        f"History of run {facts['run']}",
        ("", ""),
        (
            (name.replace("_", " "), _text(value))
            for name, value in facts.items()
            if value not in (None, [], {})
        ),
    )


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(part)}" for name, part in value.items())
    if isinstance(value, list):
        return " ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def _print_written(folder: Path, manifest: Manifest) -> None:
    sends, deliveries = (
        sum(file.rows for file in manifest.of(table)) for table in ("send", "delivery")
    )
    print_table(
        "",
        ("history", "sends", "deliveries", "files"),
        [(folder, sends, deliveries, len(manifest.files))],
    )


_ACTIONS = {"seal": _seal, "bucket": _bucket, "show": _show, "make": _make}
