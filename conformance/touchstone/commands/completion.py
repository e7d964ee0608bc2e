"""Completes commands, options, ids, areas, clients and runs in bash, zsh and fish.

It prints what your shell has to read once: eval "$(touchstone completion bash)" in ~/.bashrc, the
same with zsh behind compinit in ~/.zshrc, touchstone completion fish | source in config.fish.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from touchstone.errors import UsageError
from touchstone.verdicts import ExitStatus

SHELLS: Final = ("bash", "zsh", "fish")
Candidates = Callable[[argparse.Namespace], Iterable[str] | Mapping[str, str]]
"""What may stand there, by what was given before; each with what it is, where that helps."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """For which shell."""
    parser.add_argument("shell", choices=SHELLS, help="your shell")


def run(arguments: argparse.Namespace) -> ExitStatus:
    """Print the script."""
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError as error:
        raise UsageError(
            f"Completion needs the extra completion ({error})",
            hint="pip install 'jms-touchstone[completion]'",
        ) from error
    sys.stdout.write(shellcode(["touchstone"], shell=arguments.shell))
    return ExitStatus.NOTHING_UNEXPECTED


def complete(parser: Callable[[list[str]], argparse.ArgumentParser]) -> None:
    """Answer the shell that asks by variables of the environment (argcomplete), and end.

    `parser` gives that of a command line. Without argcomplete nothing is answered.
    """
    try:
        import argcomplete
        from argcomplete.lexers import split_line
    except ImportError:
        os._exit(1)
    words = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))[3]
    top = parser(words[1:])
    for command, action in _actions(top):
        if (candidates := _candidates(command, action)) is not None:
            action.completer = _completer(candidates)  # type: ignore[attr-defined]
    argcomplete.autocomplete(top)


def _actions(
    parser: argparse.ArgumentParser, command: str = ""
) -> Iterator[tuple[str, argparse.Action]]:
    """Every argument of the parser and those below it, with the words that lead to it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from _actions(below, f"{command} {name}".strip())
        else:
            yield command, action


def _completer(candidates: Candidates) -> Callable[..., Iterable[str] | Mapping[str, str]]:
    def complete_it(
        prefix: str, parsed_args: argparse.Namespace, **_: Any
    ) -> Iterable[str] | Mapping[str, str]:
        os.environ.pop("_ARGCOMPLETE", None)  # pytest, by which scenarios are found, looks for it
        return candidates(parsed_args)

    return complete_it


def _candidates(command: str, action: argparse.Action) -> Candidates | None:
    """What may stand for an argument, by its option, else by where it stands and its name."""
    named = [_OF_OPTIONS[name] for name in action.option_strings if name in _OF_OPTIONS]
    if named:
        return named[0]
    return _OF_PLACES.get((command, action.dest)) or (
        _runs if action.metavar == "RUN" and command != "history seal" else None
    )


def _requirements(_: argparse.Namespace) -> Mapping[str, str]:
    from touchstone.catalogue import known_library

    return {id_: one.statement for id_, one in known_library().requirements.items()}


def _areas(_: argparse.Namespace) -> Iterable[str]:
    from touchstone.catalogue import known_library

    return known_library().areas


def _documents(_: argparse.Namespace) -> Mapping[str, str]:
    from touchstone.catalogue import known_library

    return {prefix: one.title for prefix, one in known_library().documents.items()}


def _scenarios(_: argparse.Namespace) -> Mapping[str, str]:
    from touchstone.catalogue import known_library
    from touchstone.catalogue.scenarios import collect_scenarios

    return {one.id: one.shows for one in collect_scenarios(known_library())}


def _catalogues(_: argparse.Namespace) -> Iterable[str]:
    from touchstone.catalogue import load_library

    return [catalogue.name for catalogue in load_library().catalogues]


def _providers(_: argparse.Namespace) -> Iterable[str]:
    """Each as it is spelled without a version, and with each that is not the usual one."""
    from jms_brokers.errors import HintedError
    from jms_clients.readiness import spellings, versions
    from jms_clients.registry import load_provider

    for name in spellings():
        yield name
        try:
            provider = load_provider(name)
        except HintedError:  # whoever runs it is told
            continue
        yield from (f"{name}@{each}" for each in versions(provider) if each != provider.version)


def _client_names(_: argparse.Namespace) -> Iterable[str]:
    from jms_clients.registry import provider_names

    return provider_names()


def _brokers(_: argparse.Namespace) -> Iterable[str]:
    from jms_brokers.shared.registry import families
    from touchstone.brokers import detached

    yield from ("embedded", "container")
    yield from (f"detached:{broker.name}" for broker in detached.running())
    for family in families().values():
        if family.locked is not None:
            yield from (f"{family.name}=embedded:{version}" for version in family.locked.known)


def _running(_: argparse.Namespace) -> Iterable[str]:
    from touchstone.brokers import detached

    return [broker.name for broker in detached.running()]


def _runs(given: argparse.Namespace) -> Mapping[str, str]:
    """The folders of runs below --results-dir, each with whose it is."""
    from pathlib import Path

    from touchstone.commands.defaults import read_defaults
    from touchstone.commands.runs import folders_of_runs, newest_first

    usual = Path("results")
    results = getattr(given, "results_dir", usual)
    if results == usual and (defaults := read_defaults(Path())) is not None:
        results = Path(defaults.values.get("results-dir", usual))
    folders = folders_of_runs(results)
    return {
        str(folder): f"{run.started} {' '.join(each.name for each in run.providers)}"
        for run, folder in newest_first(folders)
    }


_OF_OPTIONS: Final[Mapping[str, Candidates]] = {
    "--requirement": _requirements,
    "--area": _areas,
    "--document": _documents,
    "--scenario": _scenarios,
    "--catalogue": _catalogues,
    "--provider": _providers,
    "--client": _providers,
    "--from": _providers,
    "--to": _providers,
    "--as": _client_names,
    "--broker": _brokers,
    "--baseline": _runs,
}
_OF_PLACES: Final[Mapping[tuple[str, str], Candidates]] = {
    ("explain", "requirement"): _requirements,
    ("history-of", "provider"): _client_names,
    ("broker stop", "name"): _running,
    ("broker status", "name"): _running,
}
"""Of arguments without an option, by command and name."""
