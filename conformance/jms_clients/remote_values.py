"""Values on the pipe between two processes: a closed set of types as JSON, everything else by name.

Plain values, jmsapi's typed values and constants, and errors of known classes are copied, bit for
bit. Any other object stays where it lives and is named by a number. Nothing that arrives can make
this side import, evaluate or construct anything else.
"""

from __future__ import annotations

import base64
import builtins
import reprlib
import struct
import traceback
from collections.abc import Callable, Collection, Mapping
from functools import partial
from types import MappingProxyType, ModuleType
from typing import Any, Protocol

import jms_brokers.errors
import jms_clients.errors
import jmsapi
from jms_brokers.faults.rules import FaultError
from jms_clients.origins import Origin, mark, origin_of
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
    MessageFormatException,
    SessionMode,
    Short,
)

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
        """The object, or something that stands for it if it lives on the other side.

        Raises `OtherProcessError` for the name of none.
        """
        ...


def _classes(module: ModuleType) -> dict[str, type]:
    return {name: each for name, each in vars(module).items() if isinstance(each, type)}


def _float(kind: type[float]) -> Callable[[str], float]:
    return lambda bits: kind(struct.unpack(">d", bytes.fromhex(bits))[0])


_NUMBERS: tuple[type[int], ...] = (Byte, Short, Int, Long, DeliveryMode, SessionMode)
_FLOATS: tuple[type[float], ...] = (float, Float, Double)
_COPIED: Mapping[str, tuple[type, Callable[[Any], object]]] = MappingProxyType(
    {
        **{kind.__name__: (int, kind) for kind in _NUMBERS},
        **{kind.__name__: (str, _float(kind)) for kind in _FLOATS},
        "Char": (str, Char),
        "bytes": (str, partial(base64.b64decode, validate=True)),
    }
)
"""By the name of a type: what JSON has of its values, and how they are made of that."""
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
        for module in (builtins, jms_brokers.errors, jms_clients.errors, jmsapi)
        for name, kind in _classes(module).items()
        if issubclass(kind, Exception) and not issubclass(kind, ExceptionGroup)
    }
)
_ORIGINS: Mapping[str, Origin] = MappingProxyType({each.value: each for each in Origin})
_CAUSES = 5
"""How many causes of an error cross with it."""
_DEEPEST = 64
"""Values nested deeper than this are not read: they would exhaust the stack."""


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
    return _decode(encoded, objects, _DEEPEST)


def _decode(encoded: Json, objects: Objects, depth: int) -> Any:
    if encoded is None or isinstance(encoded, bool | int | str):
        return encoded
    if not depth:
        raise _refusal_error(encoded)
    match encoded:
        case {"dict": list(pairs), **rest} if not rest and all(map(_is_pair, pairs)):
            items = [[_decode(each, objects, depth - 1) for each in pair] for pair in pairs]
            return _gather(dict, items, encoded)
        case {"type": str(name), **rest} if not rest and name in _TYPES:
            return _TYPES[name]
        case {"error": dict(error), **rest} if not rest:
            return _decode_error(error, objects, depth - 1)
        case {"object": dict(name), **rest} if not rest:
            return objects.named(name)
        case dict() if len(encoded) == 1:
            ((kind, content),) = encoded.items()
            if kind in _COPIED:
                return _copied_value(kind, content)
            if kind in _SEQUENCES and isinstance(content, list):
                items = [_decode(each, objects, depth - 1) for each in content]
                return _gather(_SEQUENCES[kind], items, encoded)
    raise _refusal_error(encoded)


def _copied_value(kind: str, content: Json) -> object:
    form, make = _COPIED[kind]
    if type(content) is form:
        try:
            return make(content)
        except (ValueError, struct.error, MessageFormatException) as error:
            raise _refusal_error({kind: content}) from error
    raise _refusal_error({kind: content})


def _gather(make: Callable[[list[Any]], Any], items: list[Any], encoded: Json) -> Any:
    try:
        return make(items)
    except TypeError as error:  # a key, or a member of a set, that cannot be one
        raise _refusal_error(encoded) from error


def _is_pair(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2


def _refusal_error(encoded: Json) -> OtherProcessError:
    return OtherProcessError(
        f"the other process sent {reprlib.repr(encoded)}", hint="this is a defect"
    )


def encode_error(error: BaseException, objects: Objects, depth: int = _CAUSES) -> dict[str, Json]:
    """An error by the nearest class that the other side knows, its arguments and its causes."""
    known = [kind for kind in type(error).__mro__ if _ERRORS.get(kind.__name__) is kind]
    cause = error.__cause__
    return {
        "class": known[0].__name__ if known else "",
        "exact": type(error).__name__,
        "args": [encode(each, objects) for each in error.args if _is_plain(each)],
        "error_code": _error_text(error, "error_code", None),
        "hint": _error_text(error, "hint", ""),
        "trace": "".join(traceback.format_exception(error)),
        "cause": encode_error(cause, objects, depth - 1) if cause and depth else None,
        "origin": origin_of(error).value,
    }


def _error_text(error: BaseException, name: str, otherwise: str | None) -> str | None:
    value = getattr(error, name, None)
    return value if isinstance(value, str) else otherwise


def decode_error(encoded: Json, objects: Objects) -> Exception:
    """The error that `encode_error` wrote, with its trace in the other process as a note.

    Raises `OtherProcessError` for anything else.
    """
    return _decode_error(encoded, objects, _DEEPEST)


def _decode_error(encoded: Json, objects: Objects, depth: int) -> Exception:
    match encoded:
        case {
            "class": str(name),
            "exact": str(exact),
            "args": list(plain),
            "error_code": (None | str()) as code,
            "hint": str(hint),
            "trace": str(trace),
            "cause": (None | dict()) as cause,
            "origin": str(origin),
        } if depth and origin in _ORIGINS:
            args = [_decode(each, objects, depth - 1) for each in plain]
            error = _make_error(name, args, code, hint) or OtherProcessError(
                f"{exact} in the other process: {', '.join(map(str, args))}",
                hint="its trace is among the notes of this error",
            )
            error.add_note(f"{exact} in the other process:\n{trace}")
            mark(error, _ORIGINS[origin])
            if cause is not None:
                error.__cause__ = _decode_error(cause, objects, depth - 1)
            return error
    raise _refusal_error(encoded)


def _make_error(name: str, args: list[Any], code: str | None, hint: str) -> Exception | None:
    """The error, of a class that can be made of what it says; else None."""
    kind = _ERRORS.get(name, Exception)
    make: Callable[..., Exception] = kind
    if kind is Exception:
        return None
    try:
        if issubclass(kind, jms_brokers.errors.HintedError):
            return make(*args, hint=hint)
        if issubclass(kind, JMSException | JMSRuntimeException):
            return make(*args, code)
        return make(*args)
    except (TypeError, ValueError, OverflowError):
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
