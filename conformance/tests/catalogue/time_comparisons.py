"""The comparisons of times in a module, found by what names in a function are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import NamedTuple

CLOCKS: Set[str] = {"monotonic", "monotonic_ns", "perf_counter", "time", "time_ns", "now"}
"""Functions that read a clock."""
READINGS: Set[str] = {"seconds", "since", "times", "requests", "start", "end"}
"""Attributes with readings: of what was timed, of listeners' calls, of what a proxy saw."""
HEADERS: Set[str] = {"jms_timestamp", "jms_expiration", "jms_delivery_time"}
"""Attributes with instants that the client tells."""
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


class Comparison(NamedTuple):
    """A comparison of times: the outermost function that it stands in, and its text."""

    function: str
    text: str


def comparisons(source: str) -> Iterator[Comparison]:
    """All by order, or by about the same, in which a time is, but for the harmless ones."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    clocks = CLOCKS | {each.name for each in functions if _reads(each, CLOCKS)}
    nested = {id(node) for each in functions for node in ast.walk(each) if node is not each}
    for function in functions:
        if id(function) not in nested:
            yield from _comparisons_in(function, clocks)


def _comparisons_in(function: ast.FunctionDef, clocks: Set[str]) -> Iterator[Comparison]:
    times = _times(function, clocks)
    for node in ast.walk(function):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        ordering = any(isinstance(each, ORDERS) for each in node.ops)
        if not ordering and not _reads(node, {"approx"}):
            continue
        told = any(_attributes(side) & HEADERS for side in sides)
        read = [_reads(side, clocks, times) for side in sides]
        if (told or any(read)) and not _is_harmless(node, sides, read):
            yield Comparison(function.name, ast.unparse(node))


def _is_harmless(node: ast.Compare, sides: list[ast.expr], read: list[bool]) -> bool:
    """Whether a slow machine can make no difference.

    What the client tells is compared with 0, which is no instant, or lies between a reading of the
    clock before a call and one after it: the slower the machine, the wider these are apart.
    """
    if not any(read):
        return any(map(_is_zero, sides))
    upward = all(isinstance(each, ast.Lt | ast.LtE) for each in node.ops)
    begins = read[0] or _is_zero(sides[0])
    return upward and len(sides) == 3 and begins and not read[1] and read[2]


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _times(function: ast.FunctionDef, clocks: Set[str]) -> set[str]:
    """The names in a function that are made of readings of a clock."""
    made = list(_bindings(function))
    times: set[str] = set()
    while more := {
        name
        for names, value in made
        if _reads(value, clocks, times)
        for name in names
        if name not in times
    }:
        times |= more
    return times


def _bindings(function: ast.FunctionDef) -> Iterator[tuple[set[str], ast.expr]]:
    """What names are bound to in a function."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=targets, value=value):
                yield {name for target in targets for name in _bound(target)}, value
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield _bound(target), value
            case (
                ast.AugAssign(target=target, value=value)
                | ast.NamedExpr(target=target, value=value)
            ):
                yield _bound(target), value
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                yield _bound(target), value
            case ast.Call(func=ast.Attribute(value=target, attr="append" | "extend"), args=[value]):
                yield _bound(target), value
            case _:
                pass


def _bound(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _reads(node: ast.AST, clocks: Set[str], times: Set[str] = frozenset()) -> bool:
    """Whether there is a clock in it that is called, or what comes of one.

    What the client tells is no reading, whoever has the message.
    """
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in clocks:
            return True
        case ast.Call(func=ast.Name(id="len")):
            return False
        case ast.Call(func=ast.Attribute(value=owner), args=args, keywords=keywords):
            return any(_reads(each, clocks, times) for each in (owner, *args, *keywords))
        case ast.Attribute(attr=name) if name in HEADERS:
            return False
        case ast.Attribute(attr=name) if name in READINGS:
            return True
        case ast.Name(id=name) if name in times:
            return True
        case _:
            return any(_reads(child, clocks, times) for child in ast.iter_child_nodes(node))


def _attributes(node: ast.AST) -> set[str]:
    return {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
