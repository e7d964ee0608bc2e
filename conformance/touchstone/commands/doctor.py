"""Says what works on this machine, and what to do about the rest."""

from __future__ import annotations

import argparse

from rich.text import Text

from jms_brokers.machine.findings import CheckState, examine
from touchstone.commands.output import add_json, console, print_json
from touchstone.doctor.checks import all_checks
from touchstone.verdicts import ExitStatus

_SIGNS = {
    CheckState.FINE: ("✔", "green"),
    CheckState.LACKS: ("!", "yellow"),
    CheckState.FAILS: ("✘", "bold red"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How to print it."""
    add_json(parser)


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Examine the machine; a fault when the main job cannot be done on it."""
    findings = {subject: examine(check) for subject, check in all_checks().items()}
    if arguments.json:
        print_json(
            {"format": 1, "findings": [{"subject": s, **f.as_dict()} for s, f in findings.items()]}
        )
    else:
        out = console()
        for subject, finding in findings.items():
            sign, style = _SIGNS[finding.state]
            line = Text(f"{sign} {subject}", style=style)
            out.print(line.append(f"  {finding.seen}", style="default"))
            if finding.advice:
                out.print(Text(f"    {finding.advice}", style="cyan"))
    fails = any(finding.state is CheckState.FAILS for finding in findings.values())
    return ExitStatus.FAULT if fails else ExitStatus.NOTHING_UNEXPECTED
