"""Every fault that is injected, by kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final

from bench.reliability import before
from bench.reliability.faults import Fault

_TWO: Final = ("-n", "2")
_ONE: Final = ("-n", "1")
_FINE: Final = frozenset({0})
_VIOLATION: Final = frozenset({1})
_OPEN: Final = frozenset({2})
_FAULT: Final = frozenset({3})
_INTERRUPTED: Final = frozenset({3})
_NOT_ACCUSING: Final = frozenset({0, 2, 3})
_KILLED: Final = frozenset({-9})
_TOLD_TO_END: Final = frozenset({143})
_UNWRITTEN: Final = "cannot be (written|completed)|does not exist"


def faults() -> Sequence[Fault]:
    """All of them; the last ones change the cache, which is for one run at a time."""
    return [
        *_disks(),
        *_workers(),
        *_owners(),
        *_signals(),
        *_clocks(),
        *_scarce_resources(),
        *_environments(),
        *_outputs(),
        *_several_runs(),
        *_brokers(),
        *_java(),
        *_caches(),
    ]


def _disks() -> list[Fault]:
    full, alone = "results on a full disk", ("fill the disk", _FAULT, _UNWRITTEN)
    points = (
        *(("configured", 1), ("collected", 1), ("writing", 1), ("writing", 3), ("judged", 4)),
        *(("finishing", 1), ("matrix", 1), ("junit", 1), ("allure", 1), ("markdown", 1)),
    )
    limit, small = "limit the size of files", ("writing", "finishing", "allure")
    read_only, removed = "results on a read-only disk", "results folder removed"
    return [
        *(_fault(full, *alone, at, nth, own_disk=True) for at, nth in points),
        _fault(full, *alone, "judged", 3, own_disk=True, options=_TWO),
        _fault(full, *alone, "judged", 2, own_disk=True, scenarios="guilty"),
        *(_fault(full, limit, _FAULT, _UNWRITTEN, at) for at in small),
        *(
            _fault(read_only, "make the disk read-only", _FAULT, _UNWRITTEN, at, own_disk=True)
            for at in ("configured", "collected", "junit")
        ),
        *(
            _fault(removed, "remove the results", _FAULT, _UNWRITTEN, at, nth, takes_results=True)
            for at, nth in (("judged", 2), ("ended", 1), ("finishing", 1), ("junit", 1))
        ),
    ]


def _workers() -> list[Fault]:
    how = ("worker killed", "kill this process", _FINE, "was judged again by another process")
    points = (("set-up", 2), ("body", 2), ("tear-down", 2), ("reporting", 2))
    return [
        *(_fault(*how, at, nth, options=_TWO) for at, nth in points),
        *(_fault(*how, at, nth, options=_ONE) for at, nth in (("set-up", 1), ("reporting", 3))),
        _fault(how[0], how[1], _FINE, "", "between", 2, options=_TWO),
        _fault(how[0], how[1], _VIOLATION, how[3], "body", 1, options=_ONE, scenarios="guilty"),
    ]


def _owners() -> list[Fault]:
    how = ("owner of the run killed", "kill this process", _FAULT, "was ended by SIGKILL")
    alone = (("collected", 1), ("body", 3), ("judged", 2), ("finishing", 1), ("junit", 1))
    return [
        *(_fault(*how, at, nth) for at, nth in alone),
        *(_fault(*how, at, options=_TWO) for at in ("judged", "finishing")),
        _fault(how[0], "tear a line", *how[2:], "judged", 3),
        *(
            _fault("command killed", "kill the command", _KILLED, "", at, options=options)
            for at, options in product(("body", "judged"), ((), _TWO))
        ),
    ]


def _signals() -> list[Fault]:
    term = ("command told to end", "SIGTERM to the command", _TOLD_TO_END, "")
    ctrl_c = ("Ctrl-C", "Ctrl-C", _INTERRUPTED, "interrupted")
    return [
        *(_fault(*term, at) for at in ("body", "judged", "junit")),
        _fault(*term, "body", options=_TWO),
        *(_fault(*ctrl_c, at, 2, options=o) for at, o in product(("body", "judged"), ((), _TWO))),
        _fault(*ctrl_c, "junit"),
    ]


def _clocks() -> list[Fault]:
    back, seen = "set the clock back", "the clock was set back by 3600.0 s"
    kind, forward = "clock set", "set the clock forward"
    return [
        *(_fault(kind, back, _OPEN, seen, "time", options=options) for options in ((), _ONE)),
        *(_fault(kind, act, _FINE, "", "body", 2) for act in (back, forward)),
        _fault(kind, back, _FINE, "", "judged", 2),
        _fault(kind, back, _FINE, "", "body", 2, client="reference", scenarios="broker"),
    ]


def _scarce_resources() -> list[Fault]:
    memory = ("out of memory", "no more memory", _OPEN, "MemoryError")
    files = ("out of open files", "no more open files", _NOT_ACCUSING, "")
    few = "ulimit -n 24"
    return [
        *(_fault(*memory, "body", 2, options=options) for options in ((), _ONE)),
        _fault(*files, "body", 2),
        _fault(*files, "judged", 2, options=_ONE),
        _fault(*files, "body", client="reference", scenarios="broker"),
        Fault(files[0], few, statuses=files[2], through=_shell(f'{few}; exec "$@"')),
    ]


def _environments() -> list[Fault]:
    kind = "hostile environment"
    proxies = {"http_proxy": "http://127.0.0.1:9", "JAVA_TOOL_OPTIONS": "-Xmx1m"}
    harmless = (
        {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTEST_ADDOPTS": "-x"},
        {"PYTHONWARNINGS": "error"},
        {"HOME": "/nowhere"},
        {"COLUMNS": "1", "TERM": "none"},
        {"TZ": "Nowhere/Land"},
        {"TMPDIR": "/nowhere/at all"},
    )
    return [
        *(Fault(kind, _variables(each), statuses=_FINE, environment=each) for each in harmless),
        Fault(kind, "PYTHONOPTIMIZE", statuses=_VIOLATION, scenarios="guilty",
              environment={"PYTHONOPTIMIZE": "1"}),
        Fault(kind, "PYTEST_DISABLE_PLUGIN_AUTOLOAD", statuses=_FAULT, says="unrecognized",
              scenarios="guilty", environment={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        Fault(kind, _variables(proxies), statuses=_FINE, client="reference", scenarios="private",
              environment=proxies),
        Fault("temporary folder full", "before the run", statuses=_FINE, own_temporary=True,
              before=before.full_temporary),
        Fault("temporary folder full", "before the run", statuses=_FINE, own_temporary=True,
              before=before.full_temporary, options=_TWO),
    ]  # fmt: skip


def _outputs() -> list[Fault]:
    kind = "nobody reads the output"
    lines = ('"$@" | head -1; exit ${PIPESTATUS[0]}', 'exec "$@" >&-', 'exec "$@" > /dev/full')
    gone = '"$@" | true; exit ${PIPESTATUS[0]}'
    fine_or_fault = frozenset({0, 3})
    return [
        *(Fault(kind, line, statuses=fine_or_fault, through=_shell(line)) for line in lines),
        Fault(kind, gone, statuses=fine_or_fault, through=_shell(gone), options=_TWO),
    ]


def _several_runs() -> list[Fault]:
    twice = _shell('"$@" & other=$!; "$@"; one=$?; wait $other || exit $?; exit $one')
    kind, act = "two runs in the same second", "twice at once"
    return [
        *(Fault(kind, act, statuses=_FINE, through=twice, options=o) for o in ((), _ONE)),
        Fault("two runs fill a cache", act, statuses=_FINE, through=twice, offline=False,
              before=before.fresh_cache, client="reference", scenarios="private"),
    ]  # fmt: skip


def _brokers() -> list[Fault]:
    how = ("broker killed", "kill the broker", frozenset({0, 2}), "")
    points = (
        *(("broker is awaited", 1), ("broker answers", 1), ("set-up", 2), ("body", 1)),
        *(("tear-down", 1), ("second", 1), ("broker is awaited", 2), ("ended", 1)),
    )
    return [
        *(_fault(*how, at, nth, client="reference", scenarios="broker") for at, nth in points),
        _fault(*how, "body", client="reference", scenarios="broker", options=_TWO),
        _fault(how[0], how[1], _OPEN, "its private broker ended by itself|control message", "body",
            client="reference", scenarios="private"),
    ]  # fmt: skip


def _java() -> list[Fault]:
    says = {
        "/nowhere": "TOUCHSTONE_JAVA",
        "/bin/true": "does not say which",
        "/bin/false": "not run",
    }
    return [
        Fault("Java missing or broken", named, statuses=_OPEN, says=said, client="reference",
              scenarios="private", environment={"TOUCHSTONE_JAVA": named})
        for named, said in says.items()
    ]  # fmt: skip


def _caches() -> list[Fault]:
    jar, aot, corrupt = "jars/**/pulsar-broker-4*.jar", "aot/*.aot", "has other content"
    used = ("cache damaged while in use", "damage a jar")
    damaged = (
        (jar, before.cut, _OPEN, corrupt),
        (jar, before.overwritten, _OPEN, corrupt),
        ("jars/verified.json", before.cut, _FINE, ""),
        (aot, before.cut, _FINE, ""),
        (aot, before.emptied, _FINE, ""),
        (aot, before.overwritten, _FINE, ""),
    )
    return [
        *(
            _fault_of_cache("cache damaged", f"{pattern} {change.__name__}", statuses, says,
                    before.in_cache(pattern, change))
            for pattern, change, statuses, says in damaged
        ),
        _fault_of_cache("cache damaged", "leftovers of a run that was killed", _FINE, "",
                before.leftovers_in_cache),
        _fault_of_cache("cache read-only", "before the run", _FINE, "", before.read_only_cache),
        *(
            Fault(*used, at, nth, _NOT_ACCUSING, client="reference", scenarios="broker",
                  before=before.in_cache(jar, lambda file: None))
            for at, nth in (("broker starts", 1), ("body", 1), ("broker starts", 2))
        ),
    ]  # fmt: skip


def _fault(
    kind: str,
    act: str,
    statuses: frozenset[int],
    says: str,
    at: str,
    nth: int = 1,
    *,
    client: str = "memory",
    scenarios: str = "memory",
    options: tuple[str, ...] = (),
    own_disk: bool = False,
    takes_results: bool = False,
) -> Fault:
    return Fault(
        kind,
        act,
        at,
        nth,
        statuses,
        says,
        client,
        scenarios,
        options,
        own_disk=own_disk,
        takes_results=takes_results,
    )


def _fault_of_cache(
    kind: str, act: str, statuses: frozenset[int], says: str, before_it: before.Before
) -> Fault:
    return Fault(
        kind,
        act,
        statuses=statuses,
        says=says,
        client="reference",
        scenarios="private",
        before=before_it,
    )


def _shell(line: str) -> Callable[[Sequence[str]], Sequence[str]]:
    return lambda command: ["bash", "-c", line, "bash", *command]


def _variables(variables: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in variables.items())
