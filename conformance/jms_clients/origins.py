"""Where something went wrong: in the client, in a scenario, in an adapter, or in the harness.

The place decides, not the class of an exception: from the inside of a stack outward, the first
package that is somebody's own. What everybody uses, as Python's own packages, is nobody's.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import dropwhile
from types import FrameType
from typing import Final

from jms_brokers.errors import HintedError
from jms_clients.errors import ClientError
from jmsapi import JMSException, JMSRuntimeException


class Origin(StrEnum):
    """Whose code it was."""

    CLIENT = "client"
    """The client under test, or what that calls."""
    SCENARIO = "scenario"
    """A scenario, or a check of the harness that judges for it."""
    ADAPTER = "adapter"
    """What makes a client usable by scenarios."""
    CLASS_PATH = "class path"
    """The classes and the Java that a client in Java was given: the harness chose them."""
    BROKER = "broker"
    """A broker that names an exception of the other namespace, which the client has no class of."""
    HARNESS = "harness"


CATALOGUES: Final = ("jms_scenarios",)
_NOBODYS: Final = frozenset(sys.stdlib_module_names) | {"jmsapi", ""}
_WRONG_CLIENTS: Final = "jms_clients.mutants"
_JPYPE: Final = "org.jpype"
_BORDERS: Final = (
    "jms_clients.recorded",
    "jms_clients.remote_objects",
    _JPYPE,
)
"""Where calls enter the client, of a scenario, or of its listener on a thread of Java."""
_CHECKS: Final = ("touchstone.scenario", "touchstone.drawn", "touchstone.workloads.small")
_ADAPTERS: Final = ("jms_clients", _JPYPE)
_HARNESS: Final = frozenset(
    {
        *("touchstone", "touchstone_reports", "jms_brokers", "jms_clients", "jms_histories"),
        *("jms_model", "jvm_runtime"),
        *("pytest", "_pytest", "pluggy", "hypothesis"),
    }
)


def origin_of(error: BaseException, catalogues: Collection[str] = CATALOGUES) -> Origin:
    """Where `error` was raised; what came from another language or process says so by its mark.

    `catalogues` are the packages of scenarios. An exception of JMS that an object of the scenario
    raised to the client, as JMS has it, is the client's where that lets it pass.
    """
    marked: Origin | None = vars(error).get(_MARK)
    if marked is not None:
        return marked
    if isinstance(error, ClientError):
        return Origin.CLIENT
    if isinstance(error, HintedError):
        return Origin.HARNESS
    modules = _modules(error)
    origin = origin_in(modules, catalogues)
    if origin is Origin.SCENARIO and isinstance(error, JMSException | JMSRuntimeException):
        return _let_pass(modules, catalogues)
    return origin


_MARK: Final = "_touchstone_origin"


def _let_pass(modules: Sequence[str], catalogues: Collection[str]) -> Origin:
    """The client, where a scenario's code was called by it; else the scenario."""
    scenarios = (*_CHECKS, *catalogues)
    callers = dropwhile(lambda each: _is_nobodys(each) or _is_in(each, scenarios), modules)
    return Origin.CLIENT if origin_in(callers, catalogues) is Origin.CLIENT else Origin.SCENARIO


def mark(error: BaseException, origin: Origin) -> None:
    """Say where an exception was raised of which no stack here tells."""
    vars(error)[_MARK] = origin


def origin_in(modules: Iterable[str], catalogues: Collection[str] = CATALOGUES) -> Origin:
    """Whose code stands at the inner end of a stack; `modules` are given from the inside outward.

    Whose an unknown package is, is told by who calls it: below a scenario it is the client,
    elsewhere a library of whoever calls.
    """
    unknown = False
    for module in modules:
        if (known := owner(module, catalogues)) is not None:
            below = known is Origin.SCENARIO or _is_in(module, _BORDERS)
            return Origin.CLIENT if unknown and below else known
        unknown = unknown or not _is_nobodys(module)
    return Origin.CLIENT if unknown else Origin.HARNESS


def owner(module: str, catalogues: Collection[str] = CATALOGUES) -> Origin | None:
    """Whose code a module is; None for one of Python, of the API, or of an unknown package."""
    if _is_in(module, (_WRONG_CLIENTS,)):
        return Origin.CLIENT
    if _is_in(module, (*_CHECKS, *catalogues)):
        return Origin.SCENARIO
    if _is_in(module, _ADAPTERS):
        return Origin.ADAPTER
    return Origin.HARNESS if _root(module) in _HARNESS else None


def frames_of(innermost: FrameType) -> Iterator[FrameType]:
    """A stack from the inside outward."""
    frame: FrameType | None = innermost
    while frame is not None:
        yield frame
        frame = frame.f_back


def module_of(frame: FrameType) -> str:
    """The name of the module whose code it runs."""
    return str(frame.f_globals.get("__name__", ""))


def _modules(error: BaseException) -> list[str]:
    """The modules that the error passed, from the inside outward; none if it was never raised."""
    modules = []
    trace = error.__traceback__
    while trace is not None:
        modules.append(module_of(trace.tb_frame))
        trace = trace.tb_next
    return modules[::-1]


def _root(module: str) -> str:
    return module.partition(".")[0]


def _is_nobodys(module: str) -> bool:
    return _root(module) in _NOBODYS


def _is_in(module: str, packages: Collection[str]) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in packages)
