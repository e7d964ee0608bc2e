"""Functions that are wrong clients: each is the reference with one decision changed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, MutableMapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.mutant import Mutant


def wrong(
    *violates: str,
    patches: tuple[Any, Any] | None = None,
    provider: str = "reference",
    scenarios: str = "",
    name: str = "",
) -> Callable[[Callable[..., Any]], Mutant]:
    """Make a function a wrong client that violates the requirements with these ids.

    The docstring's first line says the fault. The function's name is the wrong client's, and its
    module's the area, with hyphens for underscores; `name` is for names that no function can have.

    `patches=(owner, name)` puts the function in place of that attribute of a class or module, or
    that entry of a dictionary; in place of a property it becomes one. A first parameter that is
    called `original` gets what it replaces.

    Without `patches` the function is called to break the reference: it returns the context that
    mends it, as a function with `@contextmanager` does.
    """

    def make(function: Callable[..., Any]) -> Mutant:
        return Mutant(
            name=name or function.__name__.replace("_", "-"),
            area=function.__module__.rpartition(".")[2].replace("_", "-"),
            violates=violates,
            doc=(function.__doc__ or "").partition("\n")[0],
            apply=partial(_replace, *patches, function) if patches else function,
            provider=provider,
            scenarios=scenarios,
        )

    return make


def _replace(owner: Any, name: Any, function: Callable[..., Any]) -> AbstractContextManager[object]:
    if isinstance(owner, MutableMapping):
        return patch.dict(owner, {name: _given(function, owner.get(name))})
    replacement: object = _given(function, getattr(owner, name))
    if isinstance(inspect.getattr_static(owner, name), property):
        replacement = property(replacement)  # type: ignore[arg-type]
    return patch.object(owner, name, replacement)


def _given(function: Callable[..., Any], original: object) -> Callable[..., Any]:
    """The function; with what it replaces as its first argument, if it asks for that."""
    if next(iter(inspect.signature(function, follow_wrapped=False).parameters), "") != "original":
        return function

    def replacement(*arguments: Any, **options: Any) -> Any:
        return function(original, *arguments, **options)

    return replacement
