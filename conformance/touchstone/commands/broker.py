"""Embedded brokers for people: each runs on when the command has ended, until it is stopped.

`touchstone run --broker detached:NAME` takes one.
"""

from __future__ import annotations

import argparse

from jms_brokers.brokers.profiles import COMMON, PLAIN
from jms_brokers.shared.registry import families
from jms_brokers.shared.settings import USUAL
from touchstone.brokers import detached
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.verdicts import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with which."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    family = families().get(USUAL)
    profiles = COMMON if family is None else family.profiles
    locked = None if family is None else family.locked
    start = actions.add_parser("start", help="start one, or say where it is")
    start.add_argument(
        "--name",
        default=detached.USUAL_NAME,
        help="what it is called, so that several can run (default: %(default)s)",
    )
    start.add_argument(
        "--profile",
        choices=sorted(profiles),
        default=PLAIN,
        metavar="NAME",
        help="; ".join(f"{profile.name}: {profile.summary}" for profile in profiles.values()),
    )
    versions: tuple[str, ...] = ()
    which = ""
    if locked is not None:
        versions, which = locked.known, f"of {locked.product} (default: {locked.usual})"
    start.add_argument("--version", choices=versions, default="", help=which)
    start.add_argument("--offline", action="store_true", help="download nothing")
    _add_name(actions.add_parser("stop", help="end one and remove its data"))
    status = actions.add_parser("status", help="where one is, its memory and age")
    _add_name(status)
    add_json(status)
    add_json(actions.add_parser("list", help="all that run"))


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="which (default: the only one that runs)"
    )


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Start, stop, describe or list detached brokers."""
    match arguments.action:
        case "start":
            detached.start(
                arguments.profile,
                arguments.version,
                name=arguments.name,
                offline=arguments.offline,
            )
            _print_status(arguments.name, as_json=False)
        case "stop":
            _stop(arguments.name)
        case "status":
            _print_status(detached.meant(arguments.name), as_json=arguments.json)
        case "list":
            _print_list(as_json=arguments.json)
    return ExitStatus.NOTHING_UNEXPECTED


def _stop(asked: str | None) -> None:
    """End one, and remove what killed ones have left.

    One that was named and does not run is no success: the name may be mistyped.
    """
    detached.forget_ended()
    name = detached.meant(None) if asked is None else detached.require(asked).name
    ended = detached.stop(name)
    print_table("", ("broker",), [(f"{name} stopped" if ended else "none was running",)])


def _print_status(name: str, *, as_json: bool) -> None:
    broker = detached.status(name)
    facts = {"name": name, "running": False} if broker is None else _facts(broker)
    if as_json:
        print_json({"format": 1, "broker": facts})
    else:
        print_table("Broker", ("", ""), facts.items())


def _print_list(*, as_json: bool) -> None:
    brokers = list(map(_facts, detached.running()))
    if as_json:
        print_json({"format": 1, "brokers": brokers})
        return
    shown = ("name", "profile", "version", "service_url", "admin_url", "memory_mib", "pid")
    print_table(
        f"{len(brokers)} broker{'s'[: len(brokers) != 1]} of `touchstone broker start`",
        [column.replace("_", " ") for column in shown] if brokers else [""] * len(shown),
        [[facts[column] for column in shown] for facts in brokers],
    )


def _facts(broker: detached.DetachedBroker) -> dict[str, object]:
    return {
        "name": broker.name,
        "running": True,
        "service_url": broker.address.service_url,
        "admin_url": broker.address.admin_url,
        "profile": broker.address.profile,
        "version": broker.address.version,
        "pid": broker.pid,
        "memory_mib": broker.resident_bytes >> 20,
        "uptime_seconds": round(broker.uptime),
        "state_file": str(broker.state_file),
        "log": broker.address.log,
    }
