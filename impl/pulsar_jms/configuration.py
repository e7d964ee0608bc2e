"""The configuration keys of a factory: Starlight's own names, flat or nested.

One table row per key. An unknown key, a value of the wrong type and a value that asks for what is
not built are refused, each by name; the real client accepts the first silently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Final

from jmsapi import JMSException
from pulsar_jms.mapping.dead_letter import DeadLetterPolicy, dead_letter_topic_name
from pulsar_jms.mapping.destinations import DEFAULT_NAMESPACE
from pulsar_jms.mapping.priority import LINEAR, NON_LINEAR
from pulsar_jms.mapping.redelivery import Backoff
from pulsar_jms.mapping.subscriptions import QUEUE_SUBSCRIPTION, SHARED_TYPES

Parser = Callable[[object], object]


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValueError("a text")


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise ValueError("true or false")


def whole_number(value: object) -> int:
    """A whole number, or a text that is one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            pass
    raise ValueError("a whole number")


def _count(value: object) -> int:
    number = whole_number(value)
    if number < 0:
        raise ValueError("a whole number of 0 or more")
    return number


def _positive(value: object) -> int:
    number = whole_number(value)
    if number < 1:
        raise ValueError("a whole number of 1 or more")
    return number


def _factor(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ValueError("a number") from None
    if isinstance(value, bool) or not number > 0:
        raise ValueError("a number above 0")
    return number


def _one_of(*allowed: str) -> Parser:
    def parse(value: object) -> str:
        for choice in allowed:
            if isinstance(value, str) and value.lower() == choice.lower():
                return choice
        raise ValueError("one of " + ", ".join(allowed))

    return parse


def _exactly(*allowed: str) -> Parser:
    def parse(value: object) -> str:
        if isinstance(value, str) and value in allowed:
            return value
        raise ValueError("exactly one of " + ", ".join(allowed))

    return parse


def _later(parse: Parser, default: object, feature: str) -> Parser:
    """A key whose default is accepted; any other value names a feature that is refused."""

    def check(value: object) -> object:
        parsed = parse(value)
        if parsed != default:
            raise NotImplementedError(feature)
        return parsed

    return check


_NEGATIVE_ACK_BACKOFF: Final = "consumerConfig.negativeAckRedeliveryBackoff"
_ACK_TIMEOUT_BACKOFF: Final = "consumerConfig.ackTimeoutRedeliveryBackoff"
_DEAD_LETTER_POLICY: Final = "consumerConfig.deadLetterPolicy"
_WHOLES: Final = (_NEGATIVE_ACK_BACKOFF, _ACK_TIMEOUT_BACKOFF, _DEAD_LETTER_POLICY)
"""Sections that a destination's settings replace as a whole, not key by key."""

_KEY_STORES: Final = "Java key stores; tlsTrustCertsFilePath takes a PEM file"
_ACCESS_MODES: Final = ("Shared", "Exclusive", "ExclusiveWithFencing", "WaitForExclusive")

_PARSERS: Final[dict[str, Parser]] = {
    "webServiceUrl": _text,
    "brokerServiceUrl": _text,
    "enableTransaction": _flag,
    "authPlugin": _text,
    "authParams": _text,
    "tlsAllowInsecureConnection": _flag,
    "tlsEnableHostnameVerification": _flag,
    "tlsTrustCertsFilePath": _text,
    "useKeyStoreTls": _later(_flag, False, _KEY_STORES),
    "tlsTrustStoreType": _later(_text, "JKS", _KEY_STORES),
    "tlsTrustStorePath": _later(_text, "", _KEY_STORES),
    "tlsTrustStorePassword": _later(_text, "", _KEY_STORES),
    "operationTimeoutMs": _count,
    "connectionTimeoutMs": _count,
    "statsIntervalSeconds": _count,
    "numIoThreads": _count,
    "numListenerThreads": _count,
    "concurrentLookupRequest": _count,
    "jms.systemNamespace": _text,
    "jms.clientId": _text,
    "jms.queueSubscriptionName": _text,
    "jms.usePulsarAdmin": _flag,
    "jms.precreateQueueSubscription": _flag,
    "jms.precreateQueueSubscriptionConsumerQueueSize": _count,
    "jms.topicSharedSubscriptionType": _one_of(*SHARED_TYPES),
    "jms.useExclusiveSubscriptionsForSimpleConsumers": _flag,
    "jms.waitForServerStartupTimeout": _count,
    "jms.emulateTransactions": _flag,
    "jms.sessionListenersThreads": whole_number,
    "jms.maxNumOfProducers": _count,
    "jms.producerAutoCloseTimeoutSec": whole_number,
    "jms.maxMessagesLimitsParallelism": _flag,
    "jms.connectionConsumerStopTimeout": _count,
    "jms.refreshServerSideFiltersPeriod": whole_number,
    "jms.acknowledgeRejectedMessages": _flag,
    "jms.forceDeleteTemporaryDestinations": _flag,
    "jms.allowTemporaryTopicWithoutAdmin": _flag,
    "jms.enableClientSideEmulation": _flag,
    "jms.useServerSideFiltering": _flag,
    "jms.enableJMSPriority": _flag,
    "jms.priorityMapping": _exactly(LINEAR, NON_LINEAR),
    "jms.transactionsStickyPartitions": _flag,
    "jms.useCredentialsFromCreateConnection": _flag,
    "jms.tckUsername": _text,
    "jms.tckPassword": _text,
    "producerConfig.producerName": _text,
    "producerConfig.sendTimeoutMs": _count,
    "producerConfig.blockIfQueueFull": _flag,
    "producerConfig.maxPendingMessages": _count,
    "producerConfig.maxPendingMessagesAcrossPartitions": _count,
    "producerConfig.batchingEnabled": _flag,
    "producerConfig.batchingMaxPublishDelayMicros": _count,
    "producerConfig.batchingMaxMessages": _count,
    "producerConfig.batchingMaxBytes": _count,
    "producerConfig.chunkingEnabled": _flag,
    "producerConfig.compressionType": _one_of("NONE", "LZ4", "ZLIB", "ZSTD", "SNAPPY"),
    "producerConfig.messageRoutingMode": _one_of("RoundRobinPartition", "SinglePartition"),
    "producerConfig.batcherBuilder": _one_of("DEFAULT", "KEY_BASED"),
    "producerConfig.accessMode": _later(
        _one_of(*_ACCESS_MODES), "Shared", "a topic for one producer, where there are two for each"
    ),
    "producerConfig.hashingScheme": _later(
        _text, "", "a choice of the hash by which keys go to partitions"
    ),
    "consumerConfig.receiverQueueSize": _positive,
    "consumerConfig.maxTotalReceiverQueueSizeAcrossPartitions": _count,
    "consumerConfig.consumerName": _text,
    "consumerConfig.ackTimeoutMillis": _count,
    "consumerConfig.tickDurationMillis": _count,
    "consumerConfig.negativeAckRedeliveryDelayMicros": _count,
    "consumerConfig.patternAutoDiscoveryPeriod": _positive,
    "consumerConfig.acknowledgementsGroupTimeMicros": _later(
        _count, 100_000, "another time than pulsar-client's own, which is 100 ms"
    ),
    "consumerConfig.priorityLevel": _later(
        _count, 0, "an order of consumers, which pulsar-client does not have"
    ),
    "consumerConfig.batchIndexAckEnabled": _flag,
    f"{_NEGATIVE_ACK_BACKOFF}.minDelayMs": _count,
    f"{_NEGATIVE_ACK_BACKOFF}.maxDelayMs": _count,
    f"{_NEGATIVE_ACK_BACKOFF}.multiplier": _factor,
    f"{_ACK_TIMEOUT_BACKOFF}.minDelayMs": _count,
    f"{_ACK_TIMEOUT_BACKOFF}.maxDelayMs": _count,
    f"{_ACK_TIMEOUT_BACKOFF}.multiplier": _factor,
    "consumerConfig.ackReceiptEnabled": _flag,
    "consumerConfig.useSchema": _flag,
    f"{_DEAD_LETTER_POLICY}.deadLetterTopic": dead_letter_topic_name,
    f"{_DEAD_LETTER_POLICY}.retryLetterTopic": dead_letter_topic_name,
    f"{_DEAD_LETTER_POLICY}.initialSubscriptionName": _text,
    f"{_DEAD_LETTER_POLICY}.maxRedeliverCount": _positive,
}


@dataclass(frozen=True)
class Settings:
    """A checked configuration. Times are milliseconds unless the key says otherwise."""

    values: Mapping[str, Any] = field(repr=False)
    negative_ack_backoff: Backoff | None
    ack_timeout_backoff: Backoff | None
    dead_letter_policy: DeadLetterPolicy | None

    @property
    def service_url(self) -> str:
        """Where the binary protocol is spoken; the web address where no other is given."""
        return str(self.values.get("brokerServiceUrl") or self.web_url)

    @property
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
    def priority_mapping(self) -> str | None:
        """How priorities become partitions; None where they have no influence on delivery."""
        if not self.flag("jms.enableJMSPriority", False):
            return None
        return self.text("jms.priorityMapping", LINEAR)

    @property
    def sticky_partitions(self) -> bool:
        """Whether all messages of a transaction go to one partition."""
        return self.flag("jms.transactionsStickyPartitions", False)

    def overridden(self, query: Mapping[str, object], where: str) -> Settings:
        """These settings, overridden by the consumerConfig of a destination's query string.

        `where` names the destination for the error, a `JMSException`.
        """
        if not query:
            return self
        given = {key: value for key, value in _flat(query) if key.startswith("consumerConfig.")}
        return _checked(given, self.values, f"In {where} the key", {})

    def changed(self, changes: Mapping[str, object]) -> Settings:
        """These settings with others, already checked, above them."""
        return replace(self, values={**self.values, **changes}) if changes else self

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
    return _checked(dict(_flat(configuration)), {}, "Configuration key", further or {})


def _checked(
    given: Mapping[str, object],
    base: Mapping[str, object],
    kind: str,
    further: Mapping[str, Parser],
) -> Settings:
    given = {key: value for key, value in given.items() if value is not None}
    replaced = tuple(
        f"{whole}." for whole in _WHOLES if any(key.startswith(f"{whole}.") for key in given)
    )
    values = {key: value for key, value in base.items() if not key.startswith(replaced)}
    for key, value in given.items():
        parser = _PARSERS.get(key) or further.get(key)
        if parser is None:
            if fields := [known for known in _PARSERS if known.startswith(f"{key}.")]:
                raise JMSException(
                    f"{kind} {key!r} is {value!r}; it must be a map with {', '.join(fields)}"
                )
            raise JMSException(f"Unknown configuration key {key!r}{_suggestion(key, further)}")
        shown = "(not shown)" if key in _SECRET else repr(value)
        try:
            values[key] = parser(value)
        except ValueError as error:
            raise JMSException(f"{kind} {key!r} is {shown}; it must be {error}") from None
        except NotImplementedError as error:
            raise JMSException(f"{kind} {key!r} = {shown} is not supported: {error}") from None
    return Settings(
        values,
        negative_ack_backoff=_backoff(values, _NEGATIVE_ACK_BACKOFF),
        ack_timeout_backoff=_backoff(values, _ACK_TIMEOUT_BACKOFF),
        dead_letter_policy=_dead_letter_policy(values, kind),
    )


_SECRET: Final = frozenset({"authParams", "jms.tckPassword", "tlsTrustStorePassword"})


def _flat(configuration: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in configuration.items():
        if not isinstance(key, str):
            raise JMSException(f"Configuration key {key!r} is not a text")
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _suggestion(key: str, further: Mapping[str, Parser]) -> str:
    """The known key that was probably meant, else those of the same section."""
    close = get_close_matches(key, [*_PARSERS, *further], n=1, cutoff=0.7)
    if close:
        return f"; did you mean {close[0]!r}?"
    section = key.partition(".")[0] + "."
    same = [known for known in _PARSERS if known.startswith(section)]
    return f"; known are {', '.join(same or _PARSERS)}"


def _backoff(values: Mapping[str, Any], prefix: str) -> Backoff | None:
    fields = {
        "min_delay": values.get(f"{prefix}.minDelayMs"),
        "max_delay": values.get(f"{prefix}.maxDelayMs"),
        "multiplier": values.get(f"{prefix}.multiplier"),
    }
    given = {name: value for name, value in fields.items() if value is not None}
    return Backoff(**given) if given else None


def _dead_letter_policy(values: Mapping[str, Any], kind: str) -> DeadLetterPolicy | None:
    limit = f"{_DEAD_LETTER_POLICY}.maxRedeliverCount"
    given = [key for key in values if key.startswith(f"{_DEAD_LETTER_POLICY}.")]
    if not given:
        return None
    if limit not in values:
        raise JMSException(
            f"{kind} {limit!r} is missing beside {given[0]!r}; it must be a whole number of 1 or "
            "more"
        )
    return DeadLetterPolicy(
        values[limit],
        values.get(f"{_DEAD_LETTER_POLICY}.deadLetterTopic") or None,
        values.get(f"{_DEAD_LETTER_POLICY}.initialSubscriptionName") or None,
    )
