"""The command `touchstone`: a thin table of commands, each a module of `touchstone.commands`.

Only what is asked for is imported: `touchstone --help` needs no command at all.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, NoReturn

from jms_brokers.errors import BrokenDistribution, HintedError
from jms_brokers.machine import standard_streams
from jms_brokers.machine.ending import Terminated, tidy_on_sigterm
from jms_brokers.machine.secrecy import hide_secrets
from jms_histories.errors import HistoriesError
from jvm_runtime.jvm_errors import JvmRuntimeError
from touchstone.verdicts import ExitStatus
from touchstone_reports.legible import legible
from touchstone_reports.records import ResultsError

_COMPLETES: Final = "_ARGCOMPLETE"
"""The variable by which a shell asks for completions (argcomplete)."""
_HELP: Final = frozenset({"-h", "--help"})


@dataclass(frozen=True)
class Command:
    """One command as the list of commands has it."""

    name: str
    help: str
    module: str = ""
    """In `touchstone.commands`, where it is not the name."""

    def load(self) -> Any:
        """Its module, with `add_arguments` and `run`."""
        return import_module(f"touchstone.commands.{self.module or self.name}")


COMMANDS: Final = (
    Command("run", "judge providers on a real broker"),
    Command("report", "write the reports of one or several runs side by side"),
    Command("site", "a static site of the results: clients, requirements, findings"),
    Command("compare", "what changed from one run to another, regressions first"),
    Command("verdicts", "how scenarios fared in the runs of a folder, and how often that changed"),
    Command("coverage", "how much of each document is judged, and with which outcome"),
    Command("deviations", "the known deviations; --new drafts entries from a run"),
    Command("list", "the scenarios and what they judge", module="listing"),
    Command("lock", "the lock of a client in Java: its jars, each with its sum"),
    Command("matrix", "judge versions of clients on versions of brokers, in one table"),
    Command("history-of", "judge releases of a client: what changed when", module="history_of"),
    Command("explain", "what a requirement says, who implements and who judges it"),
    Command("findings", "the defects of clients that are known, and what plain Java shows of them"),
    Command("moving", "what an application loses and gains that moves to another client"),
    Command("reproduce", "a verdict that does not conform, as a program of plain JMS"),
    Command("reconfirm", "some of what plain Java has shown, drawn and shown anew"),
    Command("providers", "the clients that can be judged"),
    Command("hunt", "judge programs that nobody wrote, on and on"),
    Command("prove", "show that wrong clients are noticed"),
    Command("init", "write a package with a client, a catalogue or brokers of your own"),
    Command("interop", "whether clients understand each other, pair by pair"),
    Command("history", "seal, rewrite, show or simulate the history of a large workload"),
    Command("doctor", "what works on this machine"),
    Command("completion", "what completes commands, options and names in your shell"),
    Command("broker", "start, list, stop or look at embedded brokers of your own"),
    Command("verify", "verify the history of a large workload"),
    Command("workload", "record many producers and consumers at work, and verify what they saw"),
)

NEED_LINUX: Final = frozenset(
    {
        *("run", "matrix", "history-of", "reconfirm", "hunt", "prove", "interop"),
        *("broker", "workload", "verify", "history"),
    }
)
"""Commands that start, watch or count processes as only Linux lets them."""


class Parser(argparse.ArgumentParser):
    """A parser whose own failures end with the status of a usage fault."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how it is used."""
        self.print_usage(sys.stderr)
        self.exit(ExitStatus.FAULT, f"{self.prog}: {hide_secrets(message)}\n")


class _ShowVersion(argparse.Action):
    """Prints the version of the distribution and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        sys.stdout.write(f"{version('jms-touchstone')}\n")
        parser.exit()


def _named(arguments: Sequence[str]) -> str | None:
    return next((each for each in arguments if not each.startswith("-")), None)


def parser(arguments: Sequence[str]) -> Parser:
    """The parser of all commands, with the options of the one that `arguments` name.

    What a command passes on to runs is among them where they are to be shown or completed: else
    pytest parses it.
    """
    top = Parser(prog="touchstone", description="Judges JMS clients on real brokers.")
    top.add_argument("--version", action=_ShowVersion, nargs=0, help="show the version, and exit")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    named = _named(arguments)
    for command in COMMANDS:
        if command.name != named:
            commands.add_parser(command.name, help=command.help)
            continue
        module = command.load()
        subparser = commands.add_parser(command.name, help=command.help, description=module.__doc__)
        module.add_arguments(subparser)
        if "--results-dir" in subparser._option_string_actions:
            from touchstone.commands.defaults import add_no_config

            add_no_config(subparser)
        passes_on = getattr(module, "PASSES_ON", False)
        if passes_on and (_COMPLETES in os.environ or not _HELP.isdisjoint(arguments)):
            from touchstone.commands.passed_on import add_options_of_runs

            add_options_of_runs(subparser)
        subparser.set_defaults(run=module.run, passes_on=passes_on, parser=subparser)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the status it ends with is one of `ExitStatus`."""
    standard_streams.prepare()
    given = sys.argv[1:] if arguments is None else arguments
    if _COMPLETES in os.environ:
        from touchstone.commands.completion import complete

        complete(parser)
    if sys.platform != "linux" and (name := _named(given)) in NEED_LINUX:
        return _fault(
            f"`touchstone {name}` needs Linux, and this is {sys.platform}",
            "The image of Touchstone has one: docs/installing.md#as-an-image",
        )
    chosen, rest = parser(given).parse_known_args(given)
    if rest and not chosen.passes_on:
        chosen.parser.error(f"unrecognized arguments: {' '.join(rest)}")
    chosen.rest = rest
    try:
        with tidy_on_sigterm(), _telling_of_the_broken():
            if "no_config" in chosen:
                from touchstone.commands.defaults import take_defaults

                take_defaults(chosen)
            return int(chosen.run(chosen))
    except (HintedError, HistoriesError) as error:
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
        import traceback

        sys.stderr.write(hide_secrets(traceback.format_exc()))
        return _fault(
            f"{type(error).__name__}, which nobody expected: {error}",
            "The fault is Touchstone's; please report it with the lines above.",
        )


@contextmanager
def _telling_of_the_broken() -> Iterator[None]:
    """Show what somebody's broken distribution is warned of as a line of this command's."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", BrokenDistribution)
        show = warnings.showwarning

        def tell(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, BrokenDistribution):
                told = legible(hide_secrets(f"touchstone: warning: {message}"))
                sys.stderr.write(f"{told}\n")
            else:
                show(message, category, *where, **more)

        warnings.showwarning = tell
        yield


def _fault(what: str, hint: str) -> int:
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    console.print(
        legible(hide_secrets(f"touchstone: {what}")), style="bold red", markup=False, soft_wrap=True
    )
    if hint:
        console.print(legible(hide_secrets(f"  hint: {hint}")), markup=False, soft_wrap=True)
    return ExitStatus.FAULT
