"""Changes of one token of a kernel, which make its mutants."""

from __future__ import annotations

import ast
import copy
import importlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, Final, NamedTuple

PACKAGE: Final = "jms_histories.kernels"


class Mutant(NamedTuple):
    """A change of one token: the n-th such one of its function."""

    module: str
    function: str
    before: str
    after: str
    nth: int
    node: int
    way: int

    @property
    def name(self) -> str:
        """What it is called in the list of equivalents."""
        nth = f" ({self.nth + 1})" if self.nth else ""
        return f"{self.module}.{self.function}: {self.before} -> {self.after}{nth}"


COMPARISONS: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
NAMES: Final = {
    first: other
    for pair in (
        *(("min", "max"), ("minimum", "maximum"), ("any", "all"), ("least", "largest")),
        *(("logical_and", "logical_or"), ("left", "right"), ("begin", "end"), ("s_inv", "s_ok")),
        *(("t_enter", "t_exit"), ("t_inv", "t_ok"), ("t_from", "t_to"), ("priority", "mode")),
        *(("session", "consumer"), ("body64", "head64"), ("BODY", "HEADERS"), ("START", "STOP")),
        *(("ACK", "CLIENT_ACK"), ("NACK", "ROLLBACK"), ("OK", "INFO"), ("MUST", "NEVER")),
        *(("t_drained", "t_dlq_drained"), ("CLOSE", "KILLED"), ("FAULT_BEGIN", "FAULT_END")),
        ("CONSUMER_OPEN", "CONSUMER_CLOSE"),
    )
    for first, other in (pair, pair[::-1])
}


def ways(node: ast.AST) -> list[Callable[[Any], None]]:
    """How the token of a node may be changed, in place."""
    match node:
        case ast.Compare(ops=[operator]):
            return [_setter("ops", [other()]) for other in COMPARISONS[type(operator)]]
        case ast.BinOp(op=op) if type(op) in OPERATORS:
            return [_setter("op", OPERATORS[type(op)]())]
        case ast.AugAssign(op=op) if type(op) in OPERATORS:
            return [_setter("op", OPERATORS[type(op)]())]
        case ast.BoolOp(op=op):
            return [_setter("op", ast.Or() if isinstance(op, ast.And) else ast.And())]
        case ast.UnaryOp(op=ast.Invert() | ast.Not()):
            return [_setter("op", ast.UAdd())]
        case ast.Constant(value=bool() as value):
            return [_setter("value", not value)]
        case ast.Constant(value=int() as value):
            return [_setter("value", value + 1)]
        case ast.Constant(value=str() as value) if value in NAMES:
            return [_setter("value", NAMES[value])]
        case ast.Attribute(attr=attr) if attr in NAMES:
            return [_setter("attr", NAMES[attr])]
        case ast.Name(id=name, ctx=ast.Load()) if name in ("min", "max", "any", "all"):
            return [_setter("id", NAMES[name])]
    return []


def _setter(name: str, value: object) -> Callable[[Any], None]:
    return lambda node: setattr(node, name, value)


def tokens(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The nodes that run, each with the function around it; the same ones in the same order."""

    def walk(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            function = f"{function}.{node.name}".removeprefix("module.")
        yield function, node
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "decorator_list"):
                continue
            for child in value if isinstance(value, list) else [value]:
                docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
                if isinstance(child, ast.AST) and not docstring:
                    yield from walk(child, function)

    return walk(tree, "module")


def source(module: str) -> ast.Module:
    """The syntax of a module of the kernels."""
    (folder,) = importlib.import_module(PACKAGE).__path__
    return ast.parse(
        Path(folder, *module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    )


def mutants(module: str) -> list[Mutant]:
    """All mutants of a module."""
    mutants_found: list[Mutant] = []
    seen: Counter[tuple[str, str, str]] = Counter()
    for number, (function, node) in enumerate(tokens(source(module))):
        for way, change in enumerate(ways(node)):
            changed = copy.deepcopy(node)
            change(changed)
            what = function, ast.unparse(node), ast.unparse(changed)
            if what[1] != what[2]:
                mutants_found.append(Mutant(module, *what, seen[what], number, way))
                seen[what] += 1
    return mutants_found


def unchanged(module: str) -> Mutant:
    """No mutant: what must survive, for the death of the others to mean anything."""
    return Mutant(module, "", "", "", 0, -1, 0)


def compiled(mutant: Mutant) -> CodeType:
    """The module with the change."""
    tree = source(mutant.module)
    if mutant.node >= 0:
        _, node = list(tokens(tree))[mutant.node]
        ways(node)[mutant.way](node)
    return compile(ast.fix_missing_locations(tree), f"<{mutant.name}>", "exec")
