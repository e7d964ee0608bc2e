"""Whether a provider can run on this machine, and having what it needs before its first scenario.

Looking fetches nothing and starts nothing, so that a listing is quick.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from jms_brokers.errors import HintedError
from jms_brokers.shared import registry as families
from jms_clients.interface import Provider
from jms_clients.java import runtime as java_runtime
from jms_clients.registry import load_provider, provider_names
from jvm_runtime import javas
from jvm_runtime.javas import ANY, JavaRange
from jvm_runtime.jvm_errors import JvmRuntimeError


def program(provider: Provider) -> str:
    """The lock of the jars that the provider runs with; empty where it needs no Java."""
    return str(_own(provider, "program", ""))


def namespace(provider: Provider) -> str:
    """`jakarta.jms` or `javax.jms` for a client in Java, else empty."""
    return str(_own(provider, "namespace", ""))


def java_range(provider: Provider) -> JavaRange:
    """The releases of Java that the provider runs on."""
    known: JavaRange = _own(provider, "java_range", ANY)
    return known


def java_version(provider: Provider) -> str:
    """The version of the Java that the provider runs on; empty where it needs none, or that has
    still to be fetched.
    """
    if program(provider):
        with suppress(JvmRuntimeError):
            return javas.for_client(java_range(provider), offline=True).version
    return ""


def versions(provider: Provider) -> tuple[str, ...]:
    """Every version of the client that can be asked for, the provider's own among them."""
    return tuple(_own(provider, "versions", ())) or (provider.version,)


def variants(provider: Provider) -> tuple[str, ...]:
    """What may stand behind a `/` in the provider's spelling."""
    return tuple(_own(provider, "variants", ()))


def spellings() -> tuple[str, ...]:
    """Every registered provider in its default version, each followed by its variants."""
    names = []
    for name in provider_names():
        names.append(name)
        with suppress(HintedError):  # whoever loads it will say it
            names += [f"{name}/{variant}" for variant in variants(load_provider(name))]
    return tuple(names)


def make_ready(provider: Provider, *, offline: bool = False) -> None:
    """Have what the provider needs besides a broker, fetching what is missing; `ProviderError`."""
    if name := program(provider):
        java_runtime.prepare(provider.name, name, java_range(provider), offline=offline)


def obstacle(provider: Provider) -> str:
    """Why the provider cannot run here, with what to do; empty when it can."""
    name = program(provider)
    java = java_runtime.obstacle(name, java_range(provider)) if name else ""
    return java or families.obstacle(provider.broker_family)


def _own(provider: Any, name: str, default: Any) -> Any:
    """An optional attribute; a wrong client has those of the right one."""
    return getattr(provider, name, getattr(getattr(provider, "original", None), name, default))
