"""Values on the pipe between two processes: a closed set of types as JSON, everything else by name.

Plain values, jmsapi's typed values and constants, and errors of known classes are copied, bit for
bit. Any other object stays where it lives and is named by a number. Nothing that arrives can make
this side import, evaluate or construct anything else.
"""

from __future__ import annotations

import base64
import builtins
import struct
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, Protocol

import jmsapi
import touchstone.errors
from jmsapi import (
    Byte,
    Char,
    DeliveryMode,
    Double,
    Float,
    Int,
    JMSException,
    JMSRuntimeException,
    Long,
    SessionMode,
    Short,
)
from touchstone.faults.rules import FaultError

Json = Any
"""What `json` reads and writes."""


class OtherProcessError(FaultError):
    """The other process failed with an error of a class that does not cross the pipe."""


class Objects(Protocol):
    """Gives numbers to objects that do not cross, and finds them again."""

    def name(self, value: object) -> dict[str, Json]:
        """How to name an object to the other side."""
        ...

    def named(self, name: Mapping[str, Json]) -> object:
        """The object, or something that stands for it if it lives on the other side."""
        ...


def _classes(module: ModuleType) -> dict[str, type]:
    return {name: each for name, each in vars(module).items() if isinstance(each, type)}


def _float(kind: type[float]) -> Callable[[str], float]:
    return lambda bits: kind(struct.unpack(">d", bytes.fromhex(bits))[0])


_NUMBERS: tuple[type[int], ...] = (Byte, Short, Int, Long, DeliveryMode, SessionMode)
_FLOATS: tuple[type[float], ...] = (float, Float, Double)
_COPIED: Mapping[str, Callable[[Any], object]] = MappingProxyType(
    {
        **{kind.__name__: kind for kind in _NUMBERS},
        **{kind.__name__: _float(kind) for kind in _FLOATS},
        "Char": Char,
        "bytes": base64.b64decode,
    }
)
_SEQUENCES: Mapping[str, type[Collection[Any]]] = MappingProxyType(
    {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
)
_PYTHON_TYPES = (bool, int, float, str, bytes, list, dict, object)
_TYPES: Mapping[str, type] = MappingProxyType(
    {kind.__name__: kind for kind in _PYTHON_TYPES} | _classes(jmsapi)
)
"""Types that cross as such, for `get_body` and the like."""
_ERRORS: Mapping[str, type[Exception]] = MappingProxyType(
    {
        name: kind
        for module in (builtins, touchstone.errors, jmsapi)
        for name, kind in _classes(module).items()
        if issubclass(kind, Exception) and not issubclass(kind, ExceptionGroup)
    }
)
_CAUSES = 5
"""How many causes of an error cross with it."""


def encode(value: object, objects: Objects) -> Json:
    """The value as JSON; objects of other types by the name that `objects` gives them."""
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if isinstance(value, int):
        return {kind.__name__: int(value)} if kind in _NUMBERS else int(value)
    if isinstance(value, float) and kind in _FLOATS:
        return {kind.__name__: struct.pack(">d", value).hex()}
    if isinstance(value, Char):
        return {"Char": str(value)}
    if isinstance(value, bytes | bytearray):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, Collection) and _SEQUENCES.get(kind.__name__) is kind:
        return {kind.__name__: [encode(each, objects) for each in value]}
    if isinstance(value, dict | MappingProxyType):
        pairs = value.items()
        return {"dict": [[encode(key, objects), encode(each, objects)] for key, each in pairs]}
    if isinstance(value, type) and _TYPES.get(value.__name__) is value:
        return {"type": value.__name__}
    if isinstance(value, Exception):
        return {"error": encode_error(value, objects)}
    return {"object": objects.name(value)}


def decode(encoded: Json, objects: Objects) -> Any:
    """The value that `encode` wrote; `OtherProcessError` for anything else."""
    if encoded is None or isinstance(encoded, bool | int | str):
        return encoded
    match encoded:
        case {"dict": list(pairs)}:
            return {decode(key, objects): decode(each, objects) for key, each in pairs}
        case {"type": str(name)} if name in _TYPES:
            return _TYPES[name]
        case {"error": dict(error)}:
            return decode_error(error, objects)
        case {"object": dict(name)}:
            return objects.named(name)
        case dict() if len(encoded) == 1:
            ((kind, content),) = encoded.items()
            if kind in _COPIED:
                return _COPIED[kind](content)
            if kind in _SEQUENCES:
                make: Callable[[Iterable[Any]], Any] = _SEQUENCES[kind]
                return make(decode(each, objects) for each in content)
    raise OtherProcessError(f"the other process sent {encoded!r:.200}", hint="this is a defect")


def encode_error(error: BaseException, objects: Objects, depth: int = _CAUSES) -> dict[str, Json]:
    """An error by the nearest class that the other side knows, its arguments and its causes."""
    known = [kind for kind in type(error).__mro__ if _ERRORS.get(kind.__name__) is kind]
    cause = error.__cause__
    return {
        "class": known[0].__name__ if known else "",
        "exact": type(error).__name__,
        "args": [encode(each, objects) for each in error.args if _is_plain(each)],
        "error_code": getattr(error, "error_code", None),
        "hint": getattr(error, "hint", ""),
        "trace": "".join(traceback.format_exception(error)),
        "cause": encode_error(cause, objects, depth - 1) if cause and depth else None,
    }


def decode_error(encoded: Mapping[str, Json], objects: Objects) -> Exception:
    """The error, with its trace in the other process as a note."""
    name, exact = encoded["class"], encoded["exact"]
    args = [decode(each, objects) for each in encoded["args"]]
    error = _made(name, args, encoded) or OtherProcessError(
        f"{exact} in the other process: {', '.join(map(str, args))}",
        hint="its trace is among the notes of this error",
    )
    error.add_note(f"{exact} in the other process:\n{encoded['trace']}")
    if encoded["cause"]:
        error.__cause__ = decode_error(encoded["cause"], objects)
    return error


def _made(name: str, args: list[Any], encoded: Mapping[str, Json]) -> Exception | None:
    kind = _ERRORS.get(name, Exception)
    make: Callable[..., Exception] = kind
    if kind is Exception:
        return None
    if issubclass(kind, touchstone.errors.TouchstoneError):
        return make(*args, hint=encoded["hint"])
    if issubclass(kind, JMSException | JMSRuntimeException):
        return make(*args, encoded["error_code"])
    try:
        return make(*args)
    except TypeError:  # a class that wants more than what it says
        return None


def interface_of(value: object) -> str | None:
    """The most special class of jmsapi that the object is an instance of, by its name."""
    names = (kind.__name__ for kind in type(value).__mro__ if kind.__module__.startswith("jmsapi"))
    return next((name for name in names if name in _TYPES), None)


def interface(name: str | None) -> type | None:
    """The class that `interface_of` named."""
    return _TYPES.get(name) if name else None


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str | bytes)
