"""The configuration of a factory, checked: Starlight's own names, flat or nested.

An unknown key, a value of the wrong type and a value that asks for what is not built are refused,
each by name; the real client accepts the first silently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Final

from jmsapi import JMSException
from pulsar_jms.configuration.client_keys import REFUSED, TUNING
from pulsar_jms.configuration.keys import (
    ACK_TIMEOUT_BACKOFF,
    DEAD_LETTER_POLICY,
    NEGATIVE_ACK_BACKOFF,
    PARSERS,
    WHOLES,
)
from pulsar_jms.configuration.value_parsers import INT, Parser
from pulsar_jms.formats.limits import (
    DEFAULT_BODY_LIMITS,
    MAX_DEPTH,
    MAX_ELEMENTS,
    MAX_SIZE,
    BodyLimits,
)
from pulsar_jms.implements import implements
from pulsar_jms.mapping.dead_letter import DeadLetterPolicy
from pulsar_jms.mapping.destinations import DEFAULT_NAMESPACE
from pulsar_jms.mapping.priority import LINEAR
from pulsar_jms.mapping.redelivery_counts import Backoff
from pulsar_jms.mapping.subscriptions import QUEUE_SUBSCRIPTION


@dataclass(frozen=True)
class Settings:
    """A checked configuration. Times are milliseconds unless the key says otherwise."""

    values: Mapping[str, Any] = field(repr=False)
    negative_ack_backoff: Backoff | None
    ack_timeout_backoff: Backoff | None
    dead_letter_policy: DeadLetterPolicy | None

    @property
    @implements("SLJ-CFG-002")
    def service_url(self) -> str:
        """Where the binary protocol is spoken; the web address where no other is given."""
        return str(self.values.get("brokerServiceUrl") or self.web_url)

    @property
    @implements("SLJ-CFG-002", "SLJ-CFG-003")
    def web_url(self) -> str:
        """Where the administration is."""
        return str(self.values.get("webServiceUrl") or "http://localhost:8080")

    @property
    def namespace(self) -> str:
        """Tenant and namespace of unqualified names."""
        return self.text("jms.systemNamespace", DEFAULT_NAMESPACE)

    @property
    def client_id(self) -> str | None:
        """The client identifier given by the administrator."""
        return self.text("jms.clientId", "") or None

    @property
    def queue_subscription(self) -> str:
        """The name of the subscription behind a queue."""
        return self.text("jms.queueSubscriptionName", QUEUE_SUBSCRIPTION)

    @property
    def shared_type(self) -> str:
        """The type of shared topic subscriptions."""
        return self.text("jms.topicSharedSubscriptionType", "Shared")

    @property
    def negative_ack_delay(self) -> float:
        """Milliseconds between a negative acknowledgement and the redelivery."""
        return self.number("consumerConfig.negativeAckRedeliveryDelayMicros", 1_000_000) / 1000

    @property
    def ack_timeout(self) -> int:
        """Milliseconds that a delivered message may stay unacknowledged; 0 means for ever."""
        return self.number("consumerConfig.ackTimeoutMillis", 0)

    @property
    def receiver_queue_size(self) -> int:
        """How many messages a consumer fetches ahead."""
        return self.number("consumerConfig.receiverQueueSize", 1000)

    @property
    def pending_messages(self) -> tuple[int, int]:
        """How many messages of a producer may wait for the broker, at a partition and in all.

        0 is no limit. Where the second is smaller it limits the first, too.
        """
        each = self.number("producerConfig.maxPendingMessages", 1000)
        across = "producerConfig.maxPendingMessagesAcrossPartitions"
        in_all = self.number(across, max(50_000, each)) or INT
        return min(each, in_all), in_all

    def new_partitions_every(self, section: str) -> int:
        """Seconds between two looks for added partitions, of a section's producers or consumers."""
        return self.number(f"{section}.autoUpdatePartitionsIntervalSeconds", 3)

    @property
    def priority_mapping(self) -> str | None:
        """How priorities become partitions; None where they have no influence on delivery."""
        if not self.flag("jms.enableJMSPriority", False):
            return None
        return self.text("jms.priorityMapping", LINEAR)

    @cached_property
    def limits(self) -> BodyLimits:
        """How much a received body may hold when it is decoded."""
        return BodyLimits(
            self.number(MAX_DEPTH, DEFAULT_BODY_LIMITS.depth),
            self.number(MAX_ELEMENTS, DEFAULT_BODY_LIMITS.elements),
            self.number(MAX_SIZE, DEFAULT_BODY_LIMITS.size),
        )

    @property
    def sticky_partitions(self) -> bool:
        """Whether all messages of a transaction go to one partition."""
        return self.flag("jms.transactionsStickyPartitions", False)

    def with_overrides(self, query: Mapping[str, object], where: str) -> Settings:
        """These settings, overridden by the consumerConfig of a destination's query string.

        `where` names the destination for the error, a `JMSException`.
        """
        if not query:
            return self
        given = {key: value for key, value in _flat(query) if key.startswith("consumerConfig.")}
        return _check(given, self.values, f"In {where} the key", {})

    def with_changes(self, changes: Mapping[str, object]) -> Settings:
        """These settings with others, already checked, above them."""
        return replace(self, values={**self.values, **changes}) if changes else self

    def tuning(self, section: str) -> dict[str, object]:
        """What tunes Pulsar's Java client, by its names there; `section` begins the keys."""
        return {
            key.removeprefix(section): value
            for key, value in self.values.items()
            if key in TUNING and key.rpartition(".")[0] == section.removesuffix(".")
        }

    def text(self, key: str, default: str) -> str:
        """The value of a key that holds a text."""
        return str(self.values.get(key, default))

    def flag(self, key: str, default: bool) -> bool:
        """The value of a key that holds true or false."""
        return bool(self.values.get(key, default))

    def number(self, key: str, default: int) -> int:
        """The value of a key that holds a whole number."""
        return int(self.values.get(key, default))


def settings(
    configuration: Mapping[str, object], further: Mapping[str, Parser] | None = None
) -> Settings:
    """Check a configuration; `JMSException` names the first key that cannot be accepted.

    `further` are the keys of a dialect, beside Starlight's.
    """
    return _check(dict(_flat(configuration)), {}, "Configuration key", further or {})


def _check(
    given: Mapping[str, object],
    base: Mapping[str, object],
    kind: str,
    further: Mapping[str, Parser],
) -> Settings:
    given = {key: value for key, value in given.items() if value is not None}
    replaced = tuple(
        f"{whole}." for whole in WHOLES if any(key.startswith(f"{whole}.") for key in given)
    )
    values = {key: value for key, value in base.items() if not key.startswith(replaced)}
    for key, value in given.items():
        parser = _parser(key, further)
        if parser is None:
            if fields := [known for known in PARSERS if known.startswith(f"{key}.")]:
                raise JMSException(
                    f"{kind} {key!r} is {value!r}; it must be a map with {', '.join(fields)}"
                )
            raise JMSException(f"Unknown configuration key {key!r}{_suggestion(key, further)}")
        shown = "(not shown)" if key.partition(".")[0] in _SECRET or key in _SECRET else repr(value)
        try:
            values[key] = parser(value)
        except ValueError as error:
            raise JMSException(f"{kind} {key!r} is {shown}; it must be {error}") from None
        except NotImplementedError as error:
            raise JMSException(f"{kind} {key!r} = {shown} is not supported: {error}") from None
    return Settings(
        values,
        negative_ack_backoff=_backoff(values, NEGATIVE_ACK_BACKOFF, kind),
        ack_timeout_backoff=_backoff(values, ACK_TIMEOUT_BACKOFF, kind),
        dead_letter_policy=_dead_letter_policy(values, kind),
    )


def _parser(key: str, further: Mapping[str, Parser]) -> Parser | None:
    """What checks a key, also one inside a map that is refused as a whole."""
    inside = (whole for whole in REFUSED if key.startswith(f"{whole}."))
    return PARSERS.get(key) or further.get(key) or REFUSED.get(next(inside, ""))


_SECRET: Final = frozenset(
    {
        "authParams",
        "authParamMap",
        "jms.tckPassword",
        "socks5ProxyPassword",
        "tlsKeyStorePassword",
        "tlsTrustStorePassword",
    }
)


_DEEPEST: Final = 10
"""Maps inside maps; no key has so many parts."""


def _flat(configuration: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in configuration.items():
        if not isinstance(key, str):
            raise JMSException(f"Configuration key {key!r} is not a text")
        if isinstance(value, Mapping) and prefix.count(".") < _DEEPEST:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _suggestion(key: str, further: Mapping[str, Parser]) -> str:
    """The known key that was probably meant, else those of the same section."""
    close = get_close_matches(key, [*PARSERS, *further], n=1, cutoff=0.7)
    if close:
        return f"; did you mean {close[0]!r}?"
    section = key.partition(".")[0] + "."
    same = [known for known in PARSERS if known.startswith(section)]
    return f"; known are {', '.join(same or PARSERS)}"


def _backoff(values: Mapping[str, Any], prefix: str, kind: str) -> Backoff | None:
    fields = {
        "min_delay": values.get(f"{prefix}.minDelayMs"),
        "max_delay": values.get(f"{prefix}.maxDelayMs"),
        "multiplier": values.get(f"{prefix}.multiplier"),
    }
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        return Backoff(**given) if given else None
    except ValueError as error:
        longest = given.get("max_delay", Backoff.max_delay)
        raise JMSException(
            f"{kind} {f'{prefix}.maxDelayMs'!r} is {longest}; it must be {error}"
        ) from None


def _dead_letter_policy(values: Mapping[str, Any], kind: str) -> DeadLetterPolicy | None:
    limit = f"{DEAD_LETTER_POLICY}.maxRedeliverCount"
    given = [key for key in values if key.startswith(f"{DEAD_LETTER_POLICY}.")]
    if not given:
        return None
    if limit not in values:
        raise JMSException(
            f"{kind} {limit!r} is missing beside {given[0]!r}; it must be a whole number of 1 or "
            "more"
        )
    return DeadLetterPolicy(
        values[limit],
        values.get(f"{DEAD_LETTER_POLICY}.deadLetterTopic") or None,
        values.get(f"{DEAD_LETTER_POLICY}.initialSubscriptionName") or None,
    )
