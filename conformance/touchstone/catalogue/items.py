"""Which collected items are scenarios, what they declare, and what they may not do."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from jms_brokers.errors import HintedError
from touchstone.catalogue import Library
from touchstone.catalogue.capabilities import capability
from touchstone.errors import HarnessError

if TYPE_CHECKING:
    import pytest

_INSTEAD = {
    **dict.fromkeys(
        ("skip", "skipif", "xfail", "importorskip"),
        "A scenario judges, or declares with @needs what it depends on",
    ),
    **dict.fromkeys(
        ("fail", "raises", "warns"),
        "It is no check that counts: a scenario asserts, and says with refuses() what has to fail",
    ),
}
"""What of pytest scenarios may not use, and what to do instead."""
_MAYBE_FORBIDDEN = re.compile(rf"\b({'|'.join(_INSTEAD)})\b")


PREFERRED: Final = "touchstone_presets"
"""Where a fixture says which presets it prefers (`touchstone.scenario.fixtures.prefers`)."""


@dataclass(frozen=True)
class Scenario:
    """What a scenario declares; plain data, so that it travels between processes."""

    id: str
    """`<area>/<function>[<case>]`: the same in a checkout and from a wheel."""
    node: str
    """pytest's node id in this run."""
    requirements: tuple[str, ...]
    area: str
    shows: str
    """The first line of the docstring."""
    profile: str = "plain"
    exclusive: bool = False
    needs: tuple[str, ...] = ()
    slow: bool = False
    permissive: bool = False
    portable: tuple[str, ...] | None = None
    """Families of brokers where it runs for silent clients too; empty: every one; None: nowhere."""
    presets: tuple[str, ...] = ()
    """Those that its fixtures prefer for the client; it may ask for more while it runs."""

    @property
    def is_drawn(self) -> bool:
        """Whether it judges programs that nobody wrote."""
        return is_of_drawn_programs(self.id)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """What `as_dict` gave."""
        portable = data["portable"]
        given = {
            **data,
            "requirements": tuple(data["requirements"]),
            "needs": tuple(data["needs"]),
            "presets": tuple(data["presets"]),
            "portable": None if portable is None else tuple(portable),
        }
        return cls(**given)


def is_of_drawn_programs(scenario: str) -> bool:
    """Whether the scenario of this id judges programs that nobody wrote."""
    return "/test_drawn_" in scenario


def without_case(scenario: str) -> str:
    """The id of a scenario without its case in brackets."""
    return scenario.partition("[")[0]


def area_of(module: Path, areas: Collection[str]) -> str:
    """The area that a module of scenarios is of, by its folder if that is one, else by its name.

    `async_send/test_callbacks.py` and `test_async_send.py` are both of `async-send`.
    """
    folder = module.parent.name.replace("_", "-")
    return folder if folder in areas else module.stem.removeprefix("test_").replace("_", "-")


def scenario_of(item: pytest.Item, library: Library) -> Scenario:
    """What the item declares; `HarnessError` names what is missing or unknown."""
    function = getattr(item, "originalname", None) or item.name.partition("[")[0]
    case = item.name.removeprefix(function)
    area = area_of(item.path, library.areas)
    id_ = f"{area}/{function}{case}"
    ids = tuple(dict.fromkeys(arg for m in item.iter_markers("requirement") for arg in m.args))
    if not ids:
        raise HarnessError(
            f"{id_} judges no requirement", hint='Add @requirement("...") with the id it judges.'
        )
    for requirement in ids:
        if requirement not in library.requirements:
            raise HarnessError(
                f"{id_} judges {requirement}, which is no known requirement",
                hint=f"Ids stand in the catalogue's TOML files. {library.like(requirement)}",
            )
    needed = tuple(arg for mark in item.iter_markers("needs") for arg in mark.args)
    for name in needed:
        capability(name)
    broker = item.get_closest_marker("broker")
    portable = _portable(item, id_, special=broker is not None)
    document = getattr(getattr(item, "function", None), "__doc__", None) or ""
    return Scenario(
        id=id_,
        node=item.nodeid,
        requirements=ids,
        area=area,
        shows=document.strip().partition("\n")[0],
        profile=broker.args[0] if broker is not None else "plain",
        exclusive=bool(broker is not None and broker.kwargs.get("exclusive")),
        needs=needed,
        slow=item.get_closest_marker("slow") is not None,
        permissive=item.get_closest_marker("permissive") is not None,
        portable=portable,
        presets=_preferred(item),
    )


def _preferred(item: pytest.Item) -> tuple[str, ...]:
    fixtures = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
    used = (fixtures[name][-1].func for name in item.fixturenames if name in fixtures)  # type: ignore[attr-defined]
    return tuple(dict.fromkeys(each for func in used for each in getattr(func, PREFERRED, ())))


def _portable(item: pytest.Item, id_: str, *, special: bool) -> tuple[str, ...] | None:
    mark = item.get_closest_marker("portable")
    if mark is None or mark.args:
        return None if mark is None else tuple(map(str, mark.args))
    views = _own_views()
    own = [name for name in getattr(item, "fixturenames", ()) if name in views]
    if own or special:
        family = views[own[0]] if own else "FAMILY"
        raise HarnessError(
            f"{id_} is no scenario for every broker: "
            + (f"it uses {', '.join(own)}" if own else "it names a profile"),
            hint=f'Write @portable("{family}"), or take the view `queues`, which every broker has.',
        )
    return ()


@cache
def _own_views() -> Mapping[str, str]:
    """Fixtures that look at brokers of one family alone, with the family."""
    # Who only reads what a scenario declares needs no family of brokers.
    from jms_brokers.shared.registry import families

    return {view: name for name, family in families().items() for view in family.views}


def problems_of_module(path: Path, items: Iterable[pytest.Item], library: Library) -> list[str]:
    """Everything that makes this module of scenarios unfit, as text for people."""
    problems = [
        f"{path.name}:{line}: pytest.{name} in a scenario. {_INSTEAD[name]}"
        for line, name in forbidden_calls(path.read_text(encoding="utf-8"))
    ]
    seen: set[str] = set()
    for item in items:
        try:
            scenario = scenario_of(item, library)
        except HintedError as error:
            problems.append(f"{path.name}: {error}")
            continue
        if scenario.id in seen:
            problems.append(f"{path.name}: the scenario id {scenario.id} is used twice")
        seen.add(scenario.id)
    return list(dict.fromkeys(problems))


def forbidden_calls(source: str) -> list[tuple[int, str]]:
    """Line and name of each use of what scenarios may not use of pytest."""
    if not _MAYBE_FORBIDDEN.search(source):  # the tree of every module takes a third of a second
        return []
    uses = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in _INSTEAD and _is_pytest(node.value):
            uses.append((node.lineno, node.attr))
        elif isinstance(node, ast.ImportFrom) and node.module == "pytest":
            uses += [(node.lineno, name.name) for name in node.names if name.name in _INSTEAD]
    return uses


def duplicates(scenarios: Sequence[Scenario]) -> list[str]:
    """Scenario ids that two modules both use, as text for people."""
    nodes: dict[str, list[str]] = {}
    for scenario in scenarios:
        nodes.setdefault(scenario.id, []).append(scenario.node)
    return [
        f"the scenario id {id_} is used twice: {', '.join(where)}. Rename one of the functions"
        for id_, where in nodes.items()
        if len(where) > 1
    ]


def _is_pytest(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr == "mark" and _is_pytest(node.value)
    return isinstance(node, ast.Name) and node.id in {"pytest", "mark"}
