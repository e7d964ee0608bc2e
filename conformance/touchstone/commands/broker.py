"""An embedded broker for people: it runs on when the command has ended, until it is stopped."""

from __future__ import annotations

import argparse

from jms_brokers.brokers.profiles import COMMON, PLAIN
from jms_brokers.shared.registry import families
from jms_brokers.shared.settings import USUAL
from touchstone.brokers import detached
from touchstone.commands.output import add_json, print_json, print_table
from touchstone.verdicts import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with it."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    family = families().get(USUAL)
    profiles = COMMON if family is None else family.profiles
    locked = None if family is None else family.locked
    start = actions.add_parser("start", help="start it, or say where it is")
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
    actions.add_parser("stop", help="end it and remove its data")
    add_json(actions.add_parser("status", help="where it is, its memory and age"))


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Start, stop or describe the detached broker."""
    match arguments.action:
        case "start":
            detached.start(arguments.profile, arguments.version, offline=arguments.offline)
            _print_status(as_json=False)
        case "stop":
            was_there = detached.stop()
            print_table("", ("broker",), [("stopped" if was_there else "none was running",)])
        case "status":
            _print_status(as_json=arguments.json)
    return ExitStatus.NOTHING_UNEXPECTED


def _print_status(*, as_json: bool) -> None:
    running = detached.status()
    facts: dict[str, object] = {"running": running is not None}
    if running is not None:
        facts |= {
            "service_url": running.address.service_url,
            "admin_url": running.address.admin_url,
            "profile": running.address.profile,
            "version": running.address.version,
            "pid": running.pid,
            "memory_mib": running.resident_bytes >> 20,
            "uptime_seconds": round(running.uptime),
            "state_file": str(running.state_file),
            "log": running.address.log,
        }
    if as_json:
        print_json({"format": 1, "broker": facts})
    else:
        print_table("Broker", ("", ""), facts.items())
