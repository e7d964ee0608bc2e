"""Names of destinations: which topics they stand for, and which subscription they ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

QUEUE: Final = "queue"
TOPIC: Final = "topic"
DEFAULT_NAMESPACE: Final = "public/default"


class PulsarTopic(NamedTuple):
    """A persistent topic of a Pulsar broker."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"persistent://{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class Destination:
    """A destination as an application names it."""

    domain: str
    names: tuple[str, ...]
    """One, or those of a list of destinations."""
    namespace: str = ""
    """Of a name that is written in full."""
    subscription: str = ""
    """What stands behind a queue's name."""

    @property
    def is_virtual(self) -> bool:
        """Whether it is a list, from which one can only receive."""
        return len(self.names) > 1

    @property
    def text(self) -> str:
        """The name itself."""
        full = f"persistent://{self.namespace}/" if self.namespace else ""
        every = ",".join(f"{full}{name}" for name in self.names)
        suffix = f":{self.subscription}" if self.subscription else ""
        return f"{'multi:' if self.is_virtual else ''}{every}{suffix}"

    def __str__(self) -> str:
        return f"{self.domain} {self.text!r}"

    def topics(self, system_namespace: str | None) -> list[PulsarTopic]:
        """What it stands for, where jms.systemNamespace is this one."""
        namespace = self.namespace or system_namespace or DEFAULT_NAMESPACE
        return [PulsarTopic(namespace, name) for name in self.names]

    def ids(self, system_namespace: str | None) -> tuple[str, ...]:
        """The statements by which it stands for them."""
        of_domain = "SLJ-DEST-005" if self.domain == QUEUE else "SLJ-DEST-004"
        if self.is_virtual:
            return ("SLJ-VIRT-001", "SLJ-VIRT-004")
        if self.namespace:
            full = "SLJ-DEST-019" if self.subscription else "SLJ-DEST-021"
            return (of_domain, full) if self.domain == QUEUE else (of_domain,)
        if system_namespace:
            return (of_domain, "SLJ-DEST-017")
        return (of_domain, "SLJ-DEST-018", *(["SLJ-DEST-015"] if self.subscription else []))
