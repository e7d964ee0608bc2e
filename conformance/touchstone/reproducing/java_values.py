"""Values of a recording as expressions of Java."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from jms_brokers.machine.secrecy import HIDDEN
from touchstone.reproducing.recording import NotExpressible, Value
from touchstone.reproducing.relays import BrokerPlace

_OWN_NAME: Final = re.compile(r"\b[A-Za-z]\w*?_[0-9a-f]{12}(?![0-9a-z])")
"""A name that the harness makes up for one scenario."""
_OWN_NAMESPACE: Final = re.compile(r"\btouchstone/\w+-[0-9a-f]{8}\b")
"""The namespace of Pulsar that the harness makes for one of its processes."""
_NAMESPACE: Final = "public/default"
_MOST_NUMBERS: Final = 256
"""Bytes that are written as numbers."""
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NOT_FINITE: Final = {"inf": "POSITIVE_INFINITY", "-inf": "NEGATIVE_INFINITY", "nan": "NaN"}


class JavaValues:
    """Writes values; `name_of` gives the expression of an object, by its number.

    `listener_of` does so for a listener; `relays` are those of the program, by their numbers, with
    the places where they were.
    """

    def __init__(
        self,
        place: BrokerPlace,
        name_of: Callable[[int], str],
        listener_of: Callable[[int], str],
        relays: Mapping[int, BrokerPlace] = MappingProxyType({}),
    ) -> None:
        self._place = place
        self._relays = {relay.port: relay_port(number) for number, relay in relays.items()}
        self._known = {
            relay.address: f"{literal(f'{relay.host}:')} + {relay_port(number)}"
            for number, relay in relays.items()
        }
        self._known |= {
            place.address: 'HOST + ":" + PORT',
            f"{place.host}:{place.admin_port}": 'HOST + ":" + WEB_PORT',
            HIDDEN: "PASSWORD",
        }
        self._name_of = name_of
        self._listener_of = listener_of
        self._names: dict[str, str] = {}

    def text(self, value: Value) -> str:
        """The expression that is `value`, in its type."""
        if value is None:
            return "null"
        kind, content = next(iter(value.items()))
        write = _WRITERS.get(kind)
        if write is not None:
            return write(str(content))
        match kind:
            case "boolean" | "Boolean":
                return f"{content}".lower()
            case "int" if content == str(self._place.port):
                return "PORT"
            case "int" if int(content) in self._relays:
                return self._relays[int(content)]
            case "int":
                return str(content)
            case "Integer":
                return f"Integer.valueOf({content})"
            case "String":
                text = self.string(content)
                return f"{text}.repeat({value['times']})" if "times" in value else text
            case "bytes":
                return _bytes(bytes.fromhex(content), value.get("times", 1))
            case "Class":
                return f"{_class(content)}.class"
            case "null":
                return f"({_class(content)}) null"
            case "List":
                items = ", ".join(map(self.text, content))
                return f"new ArrayList<>(Arrays.asList({items}))"
            case "Set":
                return f"new HashSet<>(Arrays.asList({', '.join(map(self.text, content))}))"
            case "Map":
                pairs = ", ".join(f"{self.text(k)}, {self.text(v)}" for k, v in content)
                return f"map({pairs})"
            case "throws":
                return f'new {content}("it cannot be read")'
            case "named":
                return _destination(content, self.text(value["name"]))
            case "listener":
                return self._listener_of(content)
            case "object" if value["class"] == "java.lang.Object":
                return "new Object()"
            case "object":
                return self._name_of(content)
            case "cut":
                raise NotExpressible(f"a {content} is longer than a trace keeps")
        raise NotExpressible(f"an argument is an object that the harness implements ({content})")

    def string(self, text: str) -> str:
        """A text; the broker's place, and names that the harness made up, are the program's."""
        if text == self._place.host:
            return "HOST"
        known = "|".join(rf"{re.escape(each)}(?!\d)" for each in self._known)
        parts = re.split(rf"({known}|{_OWN_NAME.pattern})", _OWN_NAMESPACE.sub(_NAMESPACE, text))
        written = [
            self._known[part]
            if part in self._known
            else self._fresh(part)
            if _OWN_NAME.fullmatch(part)
            else literal(part)
            for part in parts
            if part
        ]
        return " + ".join(written) or '""'

    def _fresh(self, name: str) -> str:
        """The same name in every run of the program, and another in the next."""
        stem = name.rpartition("_")[0]
        if name not in self._names:
            self._names[name] = f"fresh({literal(f'{stem}{len(self._names) + 1}')})"
        return self._names[name]


def relay_port(number: int) -> str:
    """The port of a relay of the program."""
    return f"relay{number}.port()"


def _destination(interface: str, name: str) -> str:
    """An object of this interface, of a class of its own."""
    methods = ["toString"] if interface == "Destination" else [f"get{interface}Name", "toString"]
    written = " ".join(f"public String {method}() {{ return {name}; }}" for method in methods)
    return f"new {interface}() {{ {written} }}"


def literal(text: str) -> str:
    """A String literal; what is not ASCII is escaped, half a surrogate pair, too."""
    written = []
    for character in text:
        if character in _ESCAPES:
            written.append(_ESCAPES[character])
        elif " " <= character <= "~":
            written.append(character)
        else:
            units = character.encode("utf-16-be", "surrogatepass")
            pairs = zip(units[::2], units[1::2], strict=True)
            written += [f"\\u{high << 8 | low:04x}" for high, low in pairs]
    return f'"{"".join(written)}"'


def _bytes(content: bytes, times: int) -> str:
    if len(content) * times > 8 and not any(content):
        return f"new byte[{len(content) * times}]"
    if times > 1:
        unit = literal(content.decode("iso-8859-1"))
        return f"{unit}.repeat({times}).getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)"
    if len(content) > _MOST_NUMBERS:
        return f'Base64.getDecoder().decode("{b64encode(content).decode()}")'
    return f"new byte[] {{{', '.join(str(b - 256 if b > 127 else b) for b in content)}}}"


def _class(name: str) -> str:
    return {"[B": "byte[]"}.get(name, name.removeprefix("java.lang.").replace("$", "."))


def _floating(kind: str, suffix: str) -> Callable[[str], str]:
    def write(text: str) -> str:
        told = text.lower()
        told = {"infinity": "inf", "-infinity": "-inf"}.get(told, told)
        return f"{kind}.{_NOT_FINITE[told]}" if told in _NOT_FINITE else f"{told}{suffix}"

    return write


_WRITERS: Final[Mapping[str, Callable[[str], str]]] = {
    "byte": lambda text: f"(byte) {text}",
    "short": lambda text: f"(short) {text}",
    "long": lambda text: f"{text}L",
    "float": _floating("Float", "f"),
    "double": _floating("Double", "d"),
    "char": lambda text: f"(char) {text}",
    "Byte": lambda text: f"Byte.valueOf((byte) {text})",
    "Short": lambda text: f"Short.valueOf((short) {text})",
    "Long": lambda text: f"Long.valueOf({text}L)",
    "Float": lambda text: f"Float.valueOf({_floating('Float', 'f')(text)})",
    "Double": lambda text: f"Double.valueOf({_floating('Double', 'd')(text)})",
    "Character": lambda text: f"Character.valueOf((char) {text})",
    "BigInteger": lambda text: f'new java.math.BigInteger("{text}")',
}


def java_label(expression: str, limit: int = 90) -> str:
    """An expression as a label within a text of Java."""
    short = expression if len(expression) <= limit else f"{expression[:limit]}..."
    return literal(short.replace('"', "'"))


def comment_text(text: str) -> str:
    """A text for a comment of Java: one line that neither ends it nor escapes."""
    return " ".join(text.replace("*/", "* /").replace("\\u", "\\ u").split())
