"""The command `touchstone`: a thin table of commands, each a module of `touchstone.commands`."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from typing import NoReturn

from rich.console import Console

from jms_histories.errors import HistoriesError
from jvm_runtime.jvm_errors import JvmRuntimeError
from touchstone.commands import (
    broker,
    compare,
    coverage,
    deviations,
    doctor,
    explain,
    history,
    interop,
    listing,
    lock,
    matrix,
    prove,
    providers,
    report,
    reproduce,
    run,
    verify,
    workload,
)
from touchstone.errors import TouchstoneError
from touchstone.machine import standard_streams
from touchstone.machine.ending import Terminated, tidy_on_sigterm
from touchstone.machine.secrecy import hidden
from touchstone.verdicts import ExitStatus
from touchstone_reports.legible import legible
from touchstone_reports.records import ResultsError

COMMANDS = (
    run,
    report,
    compare,
    coverage,
    deviations,
    listing,
    lock,
    matrix,
    explain,
    reproduce,
    providers,
    prove,
    interop,
    history,
    doctor,
    broker,
    verify,
    workload,
)


class Parser(argparse.ArgumentParser):
    """A parser whose own failures end with the status of a usage fault."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how it is used."""
        self.print_usage(sys.stderr)
        self.exit(ExitStatus.FAULT, f"{self.prog}: {hidden(message)}\n")


def parser() -> Parser:
    """The parser of all commands."""
    top = Parser(prog="touchstone", description="Judges JMS clients on real brokers.")
    top.add_argument("--version", action="version", version=version("jms-touchstone"))
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in COMMANDS:
        one = commands.add_parser(module.NAME, help=module.HELP, description=module.__doc__)
        module.add_arguments(one)
        passes_on = getattr(module, "PASSES_ON", False)
        one.set_defaults(run=module.run, passes_on=passes_on, parser=one)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the status it ends with is one of `ExitStatus`."""
    standard_streams.prepare()
    top = parser()
    chosen, rest = top.parse_known_args(arguments)
    if rest and not chosen.passes_on:
        chosen.parser.error(f"unrecognized arguments: {' '.join(rest)}")
    chosen.rest = rest
    try:
        with tidy_on_sigterm():
            return int(chosen.run(chosen))
    except (TouchstoneError, HistoriesError) as error:
        return _fault(error.what, error.hint)
    except JvmRuntimeError as error:
        return _fault(error.message, error.hint)
    except ResultsError as error:
        return _fault(str(error), "")
    except KeyboardInterrupt:
        return _fault("interrupted", "")
    except Terminated:
        _fault("ended by SIGTERM", "")
        raise
    except SystemExit as end:
        if end.code != 1:
            raise
        return ExitStatus.FAULT  # 1 is rich's, where nobody reads on, and that of a violation
    except Exception as error:  # Python's own status for it, 1, would be that of a violation
        sys.stderr.write(hidden(traceback.format_exc()))
        return _fault(
            f"{type(error).__name__}, which nobody expected: {error}",
            "The fault is Touchstone's; please report it with the lines above.",
        )


def _fault(what: str, hint: str) -> int:
    console = Console(stderr=True, highlight=False)
    console.print(
        legible(hidden(f"touchstone: {what}")), style="bold red", markup=False, soft_wrap=True
    )
    if hint:
        console.print(legible(hidden(f"  hint: {hint}")), markup=False, soft_wrap=True)
    return ExitStatus.FAULT
