"""Classes in Java that implement the interfaces of JMS, with overloads that fit arguments better.

An application compiled against the interfaces reaches none of the overloads. One class implements a
whole group of interfaces, as clients have it, so that a method of QueueSender may be taken where
the application holds a MessageProducer.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from java_adapter.java_fakes import api_jars
from jms_clients.java.objects import Jms

GROUPS: tuple[tuple[str, ...], ...] = (
    ("ConnectionFactory", "QueueConnectionFactory", "TopicConnectionFactory"),
    ("Connection", "QueueConnection", "TopicConnection"),
    ("Session", "QueueSession", "TopicSession"),
    ("MessageProducer", "QueueSender", "TopicPublisher"),
    ("MessageConsumer", "QueueReceiver", "TopicSubscriber"),
    ("TemporaryQueue", "Queue"),
    ("TemporaryTopic", "Topic"),
    ("Message",),
    ("TextMessage",),
    ("ObjectMessage",),
    ("BytesMessage",),
    ("StreamMessage",),
    ("MapMessage",),
    ("QueueBrowser",),
    ("ConnectionMetaData",),
    ("ConnectionConsumer",),
    ("JMSContext",),
    ("JMSProducer",),
    ("JMSConsumer",),
)
"""What one class implements, whose name is that of the first."""
MARK = "!"
"""Ends the record of a call of an overload that no interface has."""
_FITTING: Mapping[str, tuple[str, ...]] = {
    "Destination": ("Queue", "TemporaryQueue", "Topic", "TemporaryTopic"),
    "Queue": ("TemporaryQueue",),
    "Topic": ("TemporaryTopic",),
    "Message": ("TextMessage", "BytesMessage", "MapMessage", "StreamMessage", "ObjectMessage"),
    "java.lang.Object": ("java.lang.String", "java.lang.Integer", "java.lang.Short", "byte[]"),
    "java.io.Serializable": ("java.lang.Integer", "java.util.ArrayList"),
    "java.util.Map": ("java.util.HashMap",),
    "java.lang.String": ("java.lang.Object", "java.lang.CharSequence"),
    "byte[]": ("java.lang.Object",),
    "boolean": ("java.lang.Boolean",),
    "byte": ("java.lang.Byte",),
    "short": ("java.lang.Short",),
    "char": ("java.lang.Character",),
    "int": ("java.lang.Integer",),
    "long": ("java.lang.Long",),
    "float": ("java.lang.Float",),
    "double": ("java.lang.Double",),
}
"""By a parameter's type, those that the class of an argument may fit as well or better."""
_RESULTS: Mapping[str, str] = {
    "void": "",
    "boolean": "true",
    "java.lang.String": '"text"',
    "byte[]": "new byte[0]",
    "java.util.Enumeration": "java.util.Collections.emptyEnumeration()",
    "java.util.Set": "java.util.Set.of()",
}
_NUMBERS = ("byte", "short", "char", "int", "long", "float", "double")


def compiled(jms: Jms, folder: Path) -> str:
    """Compile the classes for one namespace into `folder`; their package."""
    package = f"misleading.{jms.namespace.partition('.')[0]}"
    sources = folder / "sources"
    sources.mkdir(parents=True)
    (sources / "Calls.java").write_text(
        f"package {package};\npublic final class Calls {{ public static final"
        " java.util.List<String> MADE = new java.util.ArrayList<>(); }\n"
    )
    for group in GROUPS:
        (sources / f"{group[0]}Stub.java").write_text(_source(jms, package, group))
    command = ["javac", "-nowarn", "-d", str(folder), "--release", "17"]
    command += ["-cp", ":".join(map(str, api_jars())), *map(str, sorted(sources.iterdir()))]
    made = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, made.stderr
    return package


def signatures(jms: Jms) -> set[str]:
    """Every method that a client has to implement, as calls are recorded."""
    return {_recorded(method) for group in GROUPS for method in _abstract(jms, group).values()}


def _abstract(jms: Jms, group: tuple[str, ...]) -> dict[tuple[str, tuple[str, ...]], Any]:
    """The methods of a group by name and types of parameters, by where they come first."""
    modifier = jms.static("java.lang.reflect.Modifier")
    methods: dict[tuple[str, tuple[str, ...]], Any] = {}
    for name in group:
        for method in jms.interface(name).class_.getMethods():
            if modifier.isAbstract(method.getModifiers()):
                methods.setdefault((str(method.getName()), _types(method)), method)
    return methods


def _types(method: Any) -> tuple[str, ...]:
    return tuple(str(kind.getCanonicalName()) for kind in method.getParameterTypes())


def _recorded(method: Any) -> str:
    shown = ",".join(kind.rpartition(".")[2] for kind in _types(method))
    return f"{method.getDeclaringClass().getSimpleName()}.{method.getName()}({shown})"


def _source(jms: Jms, package: str, group: tuple[str, ...]) -> str:
    interfaces = ", ".join(f"{jms.namespace}.{name}" for name in group)
    body = "\n".join(_methods(jms, group))
    return (
        f"package {package};\n@SuppressWarnings({{}})\n"
        f"public class {group[0]}Stub implements {interfaces} {{\n{body}\n}}\n"
    )


def _methods(jms: Jms, group: tuple[str, ...]) -> Iterator[str]:
    methods = _abstract(jms, group)
    for (name, types), method in methods.items():
        yield _method(jms, method, name, types, _recorded(method))
    taken = set(methods)
    for (name, types), method in methods.items():
        for others in _overloads(jms, types):
            if (name, others) not in taken:
                taken.add((name, others))
                record = f"{_recorded(method)} by {','.join(others)}{MARK}"
                yield _method(jms, method, name, others, record)


def _overloads(jms: Jms, types: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    choices = [(kind, *_fitting(jms, kind)) for kind in types]
    for chosen in product(*choices):
        changed = sum(map(str.__ne__, chosen, types))
        if changed in (1, len(types)):
            yield chosen


def _fitting(jms: Jms, kind: str) -> tuple[str, ...]:
    prefix = f"{jms.namespace}."
    fitting = _FITTING.get(kind.removeprefix(prefix), ())
    return tuple(
        prefix + each if "." not in each and each[0].isupper() else each for each in fitting
    )


def _method(jms: Jms, method: Any, name: str, types: tuple[str, ...], record: str) -> str:
    gives = str(method.getReturnType().getCanonicalName())
    parameters = ", ".join(f"{kind} p{n}" for n, kind in enumerate(types))
    result = f" return {_result(jms, gives)};" if gives != "void" else ""
    return f'  public {gives} {name}({parameters}) {{ Calls.MADE.add("{record}");{result} }}'


def _result(jms: Jms, gives: str) -> str:
    simple = gives.removeprefix(f"{jms.namespace}.")
    if gives in _NUMBERS:
        return f"({gives}) 1"
    if simple == gives:
        return _RESULTS.get(gives, "null")
    stub = next((group[0] for group in GROUPS if simple in group), None)
    return f"new {stub}Stub()" if stub else "null"
