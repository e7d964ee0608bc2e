"""Objects of pulsar-client in a forked child, where none of them may end.

Their threads stay in the parent. A destructor would wait ten seconds for these, or close over the
inherited socket what the parent uses.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, Final, TypeVar

T = TypeVar("T")

_natives: Final[weakref.WeakSet[Any]] = weakref.WeakSet()


def keep_in_children(native: T) -> T:
    """`native`, which will outlive every child that is forked from this process."""
    _natives.add(native)
    return native


def _keep_for_ever() -> None:
    for native in list(_natives):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(native))


os.register_at_fork(after_in_child=_keep_for_ever)
