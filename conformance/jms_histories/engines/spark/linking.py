"""Partial results divided among the tasks that link them: what has to meet goes to the same one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from jms_histories.columns import Columns, Findings, take
from jms_histories.engines.spark.exchange import split
from jms_histories.kernels.links.partials import MessagePartials, SessionPartials
from jms_histories.kernels.predicates.rows import producer

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_HALF: Final = np.uint64(32)
Keys = Callable[[Columns], tuple[NDArray[Any], ...]]
Some = TypeVar("Some", MessagePartials, SessionPartials)

_MEETS: Final[dict[str, Keys]] = {
    "lost": lambda table: (table["sub"], producer(table["uid"])),
    "scopes": lambda table: (table["sub"], table["producer"]),
    "transactions": lambda table: (table["tx"],),
    "identities": lambda table: (table["mid64"],),
    "kept": lambda table: (table["sub"],),
    "inputs": lambda table: (table["uid"],),
    "outputs": lambda table: (table["cause"],),
    "cells": lambda table: (table["sub"], table["key"]),
}
"""By what the rows of each table are joined with others."""


def divide(partials: Some, tasks: int) -> list[Some]:
    """The same in as many parts as there are tasks; findings and numbers are in the first."""
    if tasks == 1:
        return [partials]
    tables = {name: getattr(partials, name) for name in _MEETS if hasattr(partials, name)}
    rows = {name: dict(split(place(_MEETS[name](table), tasks))) for name, table in tables.items()}
    none = np.zeros(0, np.int64)
    rest = type(partials)(_without_findings(partials.findings))
    parts = []
    for task in range(tasks):
        chosen: Any = {
            name: take(table, rows[name].get(task, none)) for name, table in tables.items()
        }
        parts.append(replace(rest if task else partials, **chosen))
    return parts


def place(keys: tuple[NDArray[Any], ...], tasks: int) -> NDArray[np.uint64]:
    """For each row the task that it goes to, by its keys."""
    mixed = np.zeros(len(keys[0]), np.uint64)
    for key in keys:
        mixed ^= key.astype(np.int64).view(np.uint64)
        mixed *= _GOLDEN
        mixed ^= mixed >> _HALF
    task: NDArray[np.uint64] = mixed % np.uint64(tasks)
    return task


def _without_findings(findings: Findings) -> Findings:
    return Findings({name: values[:0] for name, values in findings.rows.items()}, {}, {}, {})
