"""What can be changed about a node of a syntax tree: pure functions, one for each kind of node."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

Replacement = tuple[str, ast.AST]
"""The operator's name, and the node that takes the place of the old one."""
Members = Mapping[str, Sequence[str]]
"""The members of each enumeration, by the name of its class."""

_COMPARISONS: Mapping[type[ast.cmpop], Sequence[tuple[str, type[ast.cmpop]]]] = {
    ast.Lt: (("comparison-boundary", ast.LtE), ("comparison-negated", ast.GtE)),
    ast.LtE: (("comparison-boundary", ast.Lt), ("comparison-negated", ast.Gt)),
    ast.Gt: (("comparison-boundary", ast.GtE), ("comparison-negated", ast.LtE)),
    ast.GtE: (("comparison-boundary", ast.Gt), ("comparison-negated", ast.Lt)),
    ast.Eq: (("comparison-negated", ast.NotEq),),
    ast.NotEq: (("comparison-negated", ast.Eq),),
    ast.Is: (("comparison-negated", ast.IsNot),),
    ast.IsNot: (("comparison-negated", ast.Is),),
    ast.In: (("comparison-negated", ast.NotIn),),
    ast.NotIn: (("comparison-negated", ast.In),),
}
_ARITHMETIC: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}


def replacements(node: ast.AST, members: Members) -> Iterator[Replacement]:
    """What may stand in the place of `node`, each with one thing changed."""
    match node:
        case ast.Constant(value=value):
            yield from _constants(value)
        case ast.Compare(ops=[only]):
            for name, other in _COMPARISONS[type(only)]:
                yield name, ast.Compare(node.left, [other()], node.comparators)
        case ast.BoolOp(op=ast.And(), values=values):
            yield "and-or", ast.BoolOp(ast.Or(), values)
        case ast.BoolOp(op=ast.Or(), values=values):
            yield "and-or", ast.BoolOp(ast.And(), values)
        case ast.BinOp(left=left, right=right) if not (_is_text(left) or _is_text(right)):
            if (operation := _ARITHMETIC.get(type(node.op))) is not None:
                yield "arithmetic", ast.BinOp(left, operation(), right)
        case ast.AugAssign():
            if (operation := _ARITHMETIC.get(type(node.op))) is not None:
                yield "arithmetic", ast.AugAssign(node.target, operation(), node.value)
            yield "left-out-statement", ast.Pass()
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield "sign", operand
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in members.get(name, ()):
            others = members[name]
            after = others[(others.index(attr) + 1) % len(others)]
            if after != attr:
                yield "other-member", ast.Attribute(node.value, after, node.ctx)
        case ast.Call(keywords=[_, *_]):
            for index, keyword in enumerate(node.keywords):
                if keyword.arg is not None:
                    rest = [k for at, k in enumerate(node.keywords) if at != index]
                    yield "left-out-argument", ast.Call(node.func, node.args, rest)
        case ast.If() | ast.While() | ast.IfExp():
            for name, test in _conditions(node.test, loop=isinstance(node, ast.While)):
                yield name, _with(node, test=test)
            if isinstance(node, ast.While):
                yield "early-break", _with(node, body=[*node.body, ast.Break()])
        case ast.comprehension():
            for index, condition in enumerate(node.ifs):
                for name, test in _conditions(condition, loop=False):
                    ifs = [*node.ifs[:index], test, *node.ifs[index + 1 :]]
                    yield name, _with(node, ifs=ifs)
            if not node.is_async:
                for name, part in _parts(node.iter):
                    yield name, _with(node, iter=part)
        case ast.For():
            for name, part in _parts(node.iter):
                yield name, _with(node, iter=part)
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield "returned-none", ast.Return(ast.Constant(None))
        case ast.Expr(value=value) if not isinstance(value, (ast.Yield, ast.YieldFrom)):
            yield "left-out-statement", ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Delete():
            yield "left-out-statement", ast.Pass()
        case ast.Raise():
            yield "left-out-raise", ast.Pass()
        case ast.Break():
            yield "break-continue", ast.Continue()
        case ast.Continue():
            yield "break-continue", ast.Break()


def _constants(value: object) -> Iterator[Replacement]:
    match value:
        case bool():
            yield "flag", ast.Constant(not value)
        case int() | float():
            yield "number-more", ast.Constant(value + 1)
            yield "number-less", ast.Constant(value - 1)
        case str():
            yield "text", ast.Constant(f"{value}X")


def _conditions(test: ast.expr, *, loop: bool) -> Iterator[tuple[str, ast.expr]]:
    """A loop's condition is never made true: it would hang, which tells nothing."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield "condition-negated", test.operand
    elif not (isinstance(test, ast.Compare) and len(test.ops) == 1):  # these are negated as such
        yield "condition-negated", ast.UnaryOp(ast.Not(), test)
    if isinstance(test, ast.Constant):
        return
    yield "condition-false", ast.Constant(False)
    if not loop:
        yield "condition-true", ast.Constant(True)


def _parts(whole: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The first element and the last, as lists."""
    elements = ast.Call(ast.Name("list", ast.Load()), [whole], [])
    for name, lower, upper in (("first-only", None, 1), ("last-only", -1, None)):
        part = ast.Slice(
            ast.Constant(lower) if lower is not None else None,
            ast.Constant(upper) if upper is not None else None,
        )
        yield name, ast.Subscript(elements, part, ast.Load())


def _with(node: ast.AST, **changed: object) -> ast.AST:
    fields = {**dict(ast.iter_fields(node)), **changed}
    return type(node)(**fields)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
