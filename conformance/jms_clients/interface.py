"""What a client under test offers to the harness."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.calls import Calls
from jms_clients.memory import Memory
from jmsapi import ConnectionFactory, Value


@dataclass(frozen=True)
class VendorConstants:
    """Numbers that JMS leaves to the vendor; None where the vendor has no such thing."""

    individual_acknowledge: int | None = None
    no_acknowledge: tuple[int, ...] = ()
    """Modes in which a message counts as accepted before it is sent to the client."""


class Client(Protocol):
    """A client opened against one broker."""

    constants: VendorConstants

    def connection_factory(self, settings: Mapping[str, object]) -> ConnectionFactory:
        """A factory with the vendor's own configuration keys, besides the address of the broker.

        A key whose value is None is left out, also where the provider would set it by itself.
        """
        ...


@runtime_checkable
class TakesProcessProperties(Protocol):
    """A client whose defaults depend on properties of its process, as Java's system properties."""

    def process_property(self, name: str, value: str | None) -> AbstractContextManager[None]:
        """The property `name`, by the vendor's own name, is `value` for a while, or absent."""
        ...


@runtime_checkable
class LooksUpFactories(Protocol):
    """A client whose factories can be kept in a directory, as JNDI is one."""

    def looked_up_factory(self, settings: Mapping[str, object]) -> ConnectionFactory:
        """A factory with `settings`, put into the directory and looked up again."""
        ...


@runtime_checkable
class TellsVersion(Protocol):
    """A factory that tells whether its client has what came with JMS 2.0; any other's has."""

    @property
    def has_jms_2(self) -> bool: ...


@runtime_checkable
class ShowsMemory(Protocol):
    """A client that lets be seen what it holds in memory."""

    def memory(self) -> AbstractContextManager[Memory]:
        """The memory that its messages live in, watched for a while."""
        ...


@runtime_checkable
class TellsCalls(Protocol):
    """A client whose calls can be noted so that a program of its own language repeats them."""

    def tell(self, calls: Calls) -> None:
        """Note in `calls` from now on what the client is asked."""
        ...


@runtime_checkable
class HasOwnObjects(Protocol):
    """A client whose applications have arrays and lists other than Python's."""

    def own_array(self, content: bytes) -> MutableSequence[int]:
        """An array of bytes, as an application makes one; the client is handed it as it is."""
        ...

    def own_list(self, items: Sequence[Value]) -> MutableSequence[Value]:
        """A list, likewise."""
        ...

    def as_they_are(self) -> AbstractContextManager[None]:
        """For a while what the client gives is the object that an application would get."""
        ...


class Provider(Protocol):
    """A client under test, not yet opened.

    One that is another provider in a different set-up may name that in an attribute `built_on`:
    the other's known deviations then hold for it, too. One that scenarios for every client need
    settings for brings them in an attribute `presets` (`jms_clients.presets`), and one
    that lacks what workloads drive says so in `lacks` (`jms_clients.lacking`). What it gives every
    connection besides the address and the login it names in `added`, which a run can leave out.

    One that can talk to brokers of several families names the others in `other_families`; its
    method `on(family)` then gives the same provider for brokers of that one alone. One whose
    protocol is another than its family's usual clients speak names it in `own_protocol`.

    Entries of deviations that name no versions are stale with the releases `judged_releases` alone,
    by default with every one.

    Optional, too, are `program` (the lock of the jars that it needs, which are fetched before its
    first scenario), `namespace` (of a client in Java), `java_range` (the releases of Java that it
    runs on, as `jvm_runtime.javas` has them), `versions` and `variants` (what may be asked for),
    and `product` (what it is, for people: `jms_clients.products`).
    Making a provider fetches nothing and starts nothing, since a listing does it.
    """

    @property
    def name(self) -> str:
        """As asked for on the command line, such as `reference` or `reference+mutant:no-base64`."""
        ...

    @property
    def version(self) -> str: ...

    @property
    def documents(self) -> frozenset[str]:
        """Requirement prefixes that apply, such as SLJ; `JMS` applies to every provider."""
        ...

    @property
    def capabilities(self) -> frozenset[str]: ...

    @property
    def broker_family(self) -> str:
        """The name of the family of the brokers (`jms_brokers.families`) that it is judged on."""
        ...

    @property
    def transport(self) -> str:
        """How it reaches the broker, such as `native` or `java`: deviations may depend on it."""
        ...

    def open(self, broker: BrokerAddress) -> AbstractContextManager[Client]:
        """Open the client against `broker`; closing gives back every resource."""
        ...
