"""Destination names: which Pulsar topic, which subscription, which settings a name asks for.

`[scheme://tenant/namespace/]topic[:subscription][?settings]`; only queues have the subscription
part. Short names live in jms.systemNamespace. `multi:` and `regex:` before it make a virtual
destination, which stands for several topics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import unquote_plus

from jmsapi.destinations import Destination, Queue, Topic
from jmsapi.errors import InvalidDestinationException
from pulsar_jms.implements import implements
from pulsar_jms.mapping.topic_patterns import PatternError
from pulsar_jms.mapping.virtual_destinations import (
    MULTI,
    REGEX,
    VIRTUAL,
    TopicSource,
    full_pattern,
    members,
    settings_mark,
    virtual_prefix,
)

DEFAULT_NAMESPACE = "public/default"
_SCHEMES = ("persistent://", "non-persistent://")

Settings = Mapping[str, "str | Settings"]


class PulsarDestination(Destination):
    """A destination by the name its user gave it; equal to another of the same kind and name."""

    __slots__ = ("name", "query")
    KIND: ClassVar[str] = "destination"

    def __init__(self, name: str) -> None:
        mark = settings_mark(name)
        self.name = name if mark < 0 else name[:mark]
        """The name without its query string."""
        self.query = "" if mark < 0 else name[mark + 1 :]
        """The settings in the name, as written."""

    def wire_name(self, namespace: str) -> str:
        """The name as JMSReplyTo carries it: qualified, a subscription kept, settings dropped.

        `InvalidDestinationException` for a virtual one, to which nobody could reply.
        """
        if self.is_virtual:
            raise self._not_one_topic()
        return full_topic_name(self.name, namespace)

    @property
    def is_virtual(self) -> bool:
        """Whether the name stands for several topics: `multi:` or `regex:`."""
        return bool(virtual_prefix(self.name))

    def topic(self, namespace: str) -> str:
        """The full name of the one Pulsar topic behind this destination.

        `InvalidDestinationException` for a bad name, and for a virtual destination.
        """
        if self.is_virtual:
            raise self._not_one_topic()
        self._refuse_late_prefix()
        return topic_name(self._topic_part(), namespace, self)

    def source(self, namespace: str) -> TopicSource:
        """What a consumer consumes; `InvalidDestinationException` for a bad name."""
        self._refuse_late_prefix()
        name = self._topic_part()
        if name.startswith(REGEX):
            return TopicSource((), self._pattern(name, namespace))
        if not name.startswith(MULTI):
            return TopicSource((topic_name(name, namespace, self),))
        names = members(name)
        if not all(names):
            raise InvalidDestinationException(
                f"{self!r} names an empty topic: multi:a,b,c lists topics with commas between"
            )
        return TopicSource(
            tuple(dict.fromkeys(topic_name(each, namespace, self) for each in names))
        )

    def _pattern(self, name: str, namespace: str) -> str:
        try:
            return full_pattern(name, namespace)
        except PatternError as error:
            cut = "" if name == self.name else f"; {self.name[len(name) :]!r} is its subscription"
            raise InvalidDestinationException(
                f"{self!r} has no pattern that can be used: {error}{cut}"
            ) from error

    def _topic_part(self) -> str:
        """The name without what is no part of a topic's name."""
        raise NotImplementedError

    def _refuse_late_prefix(self) -> None:
        if not self.is_virtual and self.name.rpartition("/")[2].startswith(VIRTUAL):
            raise InvalidDestinationException(
                f"{self!r}: {' and '.join(VIRTUAL)} stand at the very beginning of a name, before "
                "the scheme of a topic"
            )

    def _not_one_topic(self) -> InvalidDestinationException:
        return InvalidDestinationException(
            f"{self!r} stands for several topics, which a consumer can have; a message is sent to "
            "one topic, so name that"
        )

    @property
    def settings(self) -> Settings:
        """The settings of the query string, nested by their dots."""
        return parse_query(self.query, self)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PulsarDestination)
            and self.KIND == other.KIND
            and self.name == other.name
        )

    def __hash__(self) -> int:
        return hash((self.KIND, self.name))

    def __repr__(self) -> str:
        return f"{self.KIND} {self.name!r}"


class PulsarQueue(PulsarDestination, Queue):
    """A queue: a Pulsar topic, consumed through one shared durable subscription."""

    __slots__ = ()
    KIND = "queue"

    @property
    def queue_name(self) -> str:
        return self.name

    @implements("SLJ-DEST-001", "SLJ-DEST-005", "SLJ-DEST-015", "SLJ-DEST-019", "SLJ-DEST-021")
    def _topic_part(self) -> str:
        """What stands before the subscription's colon."""
        return self._split()[0]

    @property
    def subscription(self) -> str | None:
        """The subscription in the name, as in topic:subscription; None where there is none."""
        return self._split()[1]

    @implements("SLJ-DEST-014", "SLJ-DEST-016", "SLJ-DEST-020", "SLJ-VIRT-005")
    def _split(self) -> tuple[str, str | None]:
        """Topic and subscription part, divided at the last colon after the last slash."""
        slash = max(self.name.rfind("/"), len(virtual_prefix(self.name)) - 1)
        colon = self.name.rfind(":", slash + 1)
        if colon < 0:
            return self.name, None
        if colon == len(self.name) - 1:
            raise InvalidDestinationException(
                f"{self!r} ends in a colon: name the subscription after it or drop it"
            )
        return self.name[:colon], self.name[colon + 1 :]


class PulsarTopic(PulsarDestination, Topic):
    """A topic: a Pulsar topic, consumed through subscriptions of its consumers' own."""

    __slots__ = ()
    KIND = "topic"

    @property
    def topic_name(self) -> str:
        return self.name

    @implements("SLJ-DEST-002", "SLJ-DEST-004")
    def _topic_part(self) -> str:
        """All of it: a colon is part of the name."""
        return self.name


@implements("JMS-DEST-006")
def create_queue(name: str) -> PulsarQueue:
    """The queue of this name; `InvalidDestinationException` when no topic can have it."""
    queue = PulsarQueue(_require_name(name, "queue"))
    queue.source(DEFAULT_NAMESPACE)
    _ = queue.settings
    return queue


@implements("JMS-ERR-002")
def own_destination(destination: Destination | None) -> PulsarQueue | PulsarTopic:
    """`destination`, or the one of its kind and name where another JMS client made it.

    `InvalidDestinationException` for what is no queue or topic, or one that no topic can be.
    """
    if isinstance(destination, PulsarQueue | PulsarTopic):
        return destination
    if isinstance(destination, Queue):
        return create_queue(destination.queue_name)
    if isinstance(destination, Topic):
        return create_topic(destination.topic_name)
    raise InvalidDestinationException(f"{destination!r} is no destination")


@implements("JMS-DEST-006")
def create_topic(name: str) -> PulsarTopic:
    """The topic of this name; `InvalidDestinationException` when no Pulsar topic can have it."""
    topic = PulsarTopic(_require_name(name, "topic"))
    topic.source(DEFAULT_NAMESPACE)
    _ = topic.settings
    return topic


def _require_name(name: str | None, kind: str) -> str:
    if name is None:
        raise InvalidDestinationException(f"a {kind} needs a name, this one is null")
    return name


@implements("SLJ-DEST-017", "SLJ-DEST-018")
def full_topic_name(name: str, namespace: str) -> str:
    """`name` with scheme, tenant and namespace; a short one gets those of `namespace`."""
    return name if name.startswith(_SCHEMES) else f"persistent://{namespace}/{name}"


@implements("JMS-ERR-002")
def topic_name(name: str, namespace: str, destination: Destination) -> str:
    """The full topic name; `InvalidDestinationException` for an empty or incomplete one."""
    if not name:
        raise InvalidDestinationException(f"{destination!r} has no topic name")
    full = full_topic_name(name, namespace)
    parts = full.partition("://")[2].split("/", 2)
    if len(parts) < 3 or not all(parts):
        raise InvalidDestinationException(
            f"{destination!r} is no full topic name: tenant/namespace/topic must follow the scheme"
        )
    return full


def parse_query(query: str, destination: Destination) -> Settings:
    """The settings of a query string; dots nest: consumerConfig.receiverQueueSize=1.

    Raises `InvalidDestinationException` where it is not key=value pairs joined by &.
    """
    settings: dict[str, object] = {}
    for pair in filter(None, query.split("&")):
        key, equals, value = pair.partition("=")
        path = unquote_plus(key).split(".")
        if not equals or not all(path):
            raise InvalidDestinationException(
                f"{destination!r}: {pair!r} is no setting, key=value is expected"
            )
        node = settings
        for step in path[:-1]:
            inner = node.setdefault(step, {})
            if not isinstance(inner, dict):
                raise InvalidDestinationException(
                    f"{destination!r}: {'.'.join(path)!r} leads through {step!r}, "
                    "which has a value of its own"
                )
            node = inner
        if isinstance(node.get(path[-1]), dict):
            raise InvalidDestinationException(
                f"{destination!r}: {'.'.join(path)!r} has settings of its own, not a value"
            )
        node[path[-1]] = unquote_plus(value)
    return settings  # type: ignore[return-value]
