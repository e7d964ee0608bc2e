"""The changes that can be made to the functions of a module, each with a name that stays: pure.

Left out is what nobody can see through JMS or the broker, whatever the function: texts of
exceptions and logs, what `__repr__` gives, types, asserts and docstrings.
"""

from __future__ import annotations

import ast
import copy
import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from jms_clients.mutants.changes.operators import Members, replacements

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOGS = ("_LOG", "_log", "logger", "logging", "warnings")
_UNSEEN = ("__repr__", "__str__")
_ELSEWHERE = ("annotation", "returns", "decorator_list", "defaults", "kw_defaults")
"""Fields of nodes in which no change is made; defaults stand outside of a function's code."""
_ENUMS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")


@dataclass(frozen=True)
class Change:
    """One change: which, and where."""

    module: str
    function: str
    """The outermost function, as its `__qualname__` is; a second of that name has `#2`."""
    operator: str
    ordinal: int
    """Which of this operator's changes in the function, from 1."""
    line: int
    """Where the statement begins that it is in."""

    @property
    def id(self) -> str:
        """By which it is asked for."""
        return f"{self.module}:{self.function}:{self.operator}:{self.ordinal}"


@dataclass(frozen=True)
class _Site:
    """A place in a tree and what may stand there."""

    parent: ast.AST
    field: str
    index: int | None
    line: int
    operator: str
    replacement: ast.AST

    def put(self) -> ast.AST:
        """Make the change; gives what stood there."""
        value = getattr(self.parent, self.field)
        old: ast.AST = value if self.index is None else value[self.index]
        if "lineno" in old._attributes:
            ast.copy_location(self.replacement, old)
        self.put_back(self.replacement)
        ast.fix_missing_locations(self.parent)
        return old

    def put_back(self, old: ast.AST) -> None:
        """Let `old` stand there."""
        if self.index is None:
            setattr(self.parent, self.field, old)
        else:
            getattr(self.parent, self.field)[self.index] = old


def enumerations(sources: Iterable[str]) -> Members:
    """The members of every enumeration in `sources`."""
    members: dict[str, list[str]] = {}
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and any(
                isinstance(base, ast.Name) and base.id in _ENUMS for base in node.bases
            ):
                members[node.name] = [
                    target.id
                    for statement in node.body
                    if isinstance(statement, ast.Assign)
                    for target in statement.targets
                    if isinstance(target, ast.Name)
                ]
    return members


def changes(module: str, source: str, members: Members) -> tuple[Change, ...]:
    """Every change of the functions in `source`, in their order."""
    return tuple(change for change, _ in _changes(module, ast.parse(source), members))


def changed(module: str, source: str, change: Change, members: Members) -> ast.Module:
    """The tree of `source` with `change`; `KeyError` when there is no such change."""
    tree = ast.parse(source)
    for candidate, site in _changes(module, tree, members):
        if candidate == change:
            site.put()
            return tree
    raise KeyError(change.id)


def diffs(
    module: str, source: str, members: Members, only: Iterable[str]
) -> dict[Change, tuple[str, ...]]:
    """The lines that each change of the functions `only` takes away and adds, as `-` and `+`."""
    wanted, tree = frozenset(only), ast.parse(source)
    function_of = dict(functions(tree))
    before = {
        name: ast.unparse(function_of[name]).splitlines() for name in wanted & function_of.keys()
    }
    told = {}
    for change, site in _changes(module, tree, members):
        if change.function in before:
            old = site.put()
            after = ast.unparse(function_of[change.function]).splitlines()
            site.put_back(old)
            told[change] = _differing(before[change.function], after)
    return told


def _differing(before: list[str], after: list[str]) -> tuple[str, ...]:
    lines = list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]
    return tuple(f"{line[0]} {line[1:].strip()}" for line in lines if not line.startswith("@@"))


def functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """The outermost functions with their qualified names; a second of a name has `#2` behind it."""
    seen: Counter[str] = Counter()

    def look(body: Iterable[ast.AST], prefix: str) -> Iterator[tuple[str, Function]]:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    name = prefix + node.name
                    seen[name] += 1
                    yield (name if seen[name] == 1 else f"{name}#{seen[name]}"), node
                case ast.ClassDef():
                    yield from look(node.body, f"{prefix}{node.name}.")
                case ast.If() | ast.Try() | ast.With():
                    yield from look(ast.iter_child_nodes(node), prefix)

    return look(tree.body, "")


def _changes(module: str, tree: ast.Module, members: Members) -> Iterator[tuple[Change, _Site]]:
    for name, function in functions(tree):
        if function.name in _UNSEEN:
            continue
        ordinals: Counter[str] = Counter()
        for site in _sites(function, function.lineno, members):
            ordinals[site.operator] += 1
            yield Change(module, name, site.operator, ordinals[site.operator], site.line), site


def _sites(node: ast.AST, line: int, members: Members, *, texts: bool = True) -> Iterator[_Site]:
    """The places below `node`, those of a statement before those in it."""
    for field, value in ast.iter_fields(node):
        if field in _ELSEWHERE:
            continue
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if not isinstance(child, ast.AST) or _unseen(child):
                continue
            here = child.lineno if isinstance(child, ast.stmt) else line
            for operator, replacement in replacements(child, members):
                if texts or operator != "text":
                    new = copy.deepcopy(replacement)
                    yield _Site(node, field, index, here, operator, new)
            told = isinstance(child, (ast.Raise, ast.JoinedStr))
            yield from _sites(child, here, members, texts=texts and not told)


def _unseen(node: ast.AST) -> bool:
    match node:
        case ast.Assert() | ast.Global() | ast.Nonlocal() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name in _LOGS
        case ast.AnnAssign(value=None):
            return True
        case ast.FunctionDef(name=name):
            return name in _UNSEEN
    return False
