"""Gives functions of this process other code: nothing is imported again, whoever holds them."""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import CodeType, FunctionType

from jms_clients.mutants.changes import changes
from jms_clients.mutants.changes.changes import Change, Function
from jms_clients.mutants.changes.reference import ReferenceSources

Key = tuple[str, str, int]
"""By which code is known: its file, qualified name, and first line."""
_REACHED = "__reached__"


@cache
def functions_here(files: frozenset[str]) -> Mapping[Key, list[FunctionType]]:
    """The functions of `files` that there are in this process, by their code."""
    here: dict[Key, list[FunctionType]] = {}
    for function in gc.get_objects():
        if type(function) is FunctionType and function.__code__.co_filename in files:
            here.setdefault(_key(function.__code__), []).append(function)
    return here


def files_of(reference: ReferenceSources) -> frozenset[str]:
    """As code names them."""
    return frozenset(str(file) for file in reference.files.values())


def switch_on(reference: ReferenceSources, change: Change) -> int:
    """Make `change` in this process, to stay; how many functions got other code."""
    source = reference.sources[change.module]
    tree = changes.changed(change.module, source, change, reference.members)
    return _exchange(reference, change.module, tree, only=change.function)


def record(reference: ReferenceSources, reached: Callable[[tuple[str, int]], object]) -> None:
    """From now on `reached` is called with module and line whenever a statement is reached."""
    for module, source in reference.sources.items():
        tree = ast.parse(source)
        for _, function in changes.functions(tree):
            _tell(function, module)
        _exchange(reference, module, tree)
    for functions in functions_here(files_of(reference)).values():
        for live in functions:
            live.__globals__[_REACHED] = reached


def _tell(node: ast.AST, module: str) -> None:
    """Put a call before each statement below `node`."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            for statement in value:
                _tell(statement, module)
            told = [each for s in value for each in (_call(s, module), s)]
            setattr(node, field, told)
        elif isinstance(value, list):
            for child in value:
                if isinstance(child, (ast.ExceptHandler, ast.match_case)):
                    _tell(child, module)


def _call(statement: ast.stmt, module: str) -> ast.stmt:
    point = ast.Tuple([ast.Constant(module), ast.Constant(statement.lineno)], ast.Load())
    call = ast.Expr(ast.Call(ast.Name(_REACHED, ast.Load()), [point], []))
    return ast.fix_missing_locations(ast.copy_location(call, statement))


def _exchange(
    reference: ReferenceSources, module: str, tree: ast.Module, *, only: str | None = None
) -> int:
    """Give the functions of `module` the code of `tree`, those in the function `only` or all."""
    file = str(reference.files[module])
    here = functions_here(files_of(reference))
    for _, function in changes.functions(tree):
        _keep_free_names(function, file, here)
    exchanged = 0
    lines = {
        line
        for name, function in changes.functions(tree)
        if only in (None, name)
        for line in _lines(function)
    }
    for code in _codes(compile(tree, file, "exec", dont_inherit=True)):
        if code.co_firstlineno in lines:
            for live in here.get(_key(code), ()):
                live.__code__ = code
                exchanged += 1
    return exchanged


def _keep_free_names(function: Function, file: str, here: Mapping[Key, list[FunctionType]]) -> None:
    """Functions keep the cells that they have, so a change may not take away the last use."""
    for node in ast.walk(function):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        names = {
            name
            for (path, qualified, line), live in here.items()
            if line == first and path == file and qualified.rpartition(".")[2] == node.name
            for name in live[0].__code__.co_freevars
        }
        if names:
            uses: list[ast.stmt] = [ast.Expr(ast.Name(n, ast.Load())) for n in sorted(names)]
            never = ast.If(ast.Constant(False), uses, [])
            ast.fix_missing_locations(ast.copy_location(never, node.body[0]))
            node.body.insert(0, never)


def _lines(function: Function) -> range:
    first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
    return range(first, (function.end_lineno or first) + 1)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _key(code: CodeType) -> Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno
