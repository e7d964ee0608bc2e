"""The commands and errors of Pulsar's wire protocol, as data (PulsarApi.proto of Pulsar 4.0)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from types import MappingProxyType


class ServerError(IntEnum):
    """The errors a broker may answer with (`ServerError`)."""

    UnknownError = 0
    MetadataError = 1
    PersistenceError = 2
    AuthenticationError = 3
    AuthorizationError = 4
    ConsumerBusy = 5
    ServiceNotReady = 6
    ProducerBlockedQuotaExceededError = 7
    ProducerBlockedQuotaExceededException = 8
    ChecksumError = 9
    UnsupportedVersionError = 10
    TopicNotFound = 11
    SubscriptionNotFound = 12
    ConsumerNotFound = 13
    TooManyRequests = 14
    TopicTerminatedError = 15
    ProducerBusy = 16
    InvalidTopicName = 17
    IncompatibleSchema = 18
    ConsumerAssignError = 19
    TransactionCoordinatorNotFound = 20
    InvalidTxnStatus = 21
    NotAllowedError = 22
    TransactionConflict = 23
    TransactionNotFound = 24
    ProducerFenced = 25


class FieldKind(Enum):
    """How a field's value reads."""

    NUMBER = 0
    TEXT = 2
    MESSAGE_IDS = 3
    """Repeated `MessageIdData`, read as a tuple of (ledger, entry)."""


@dataclass(frozen=True)
class CommandType:
    """A type of command and those of its fields that rules may ask for: name, number and kind."""

    number: int
    fields: Mapping[str, tuple[int, FieldKind]] = field(
        default_factory=lambda: MappingProxyType({})
    )


def _type(
    number: int, text: Mapping[str, int] = MappingProxyType({}), *, ids: int = 0, **numbers: int
) -> CommandType:
    fields = {name: (at, FieldKind.NUMBER) for name, at in numbers.items()}
    fields |= {name: (at, FieldKind.TEXT) for name, at in text.items()}
    if ids:
        fields["message_id"] = (ids, FieldKind.MESSAGE_IDS)
    return CommandType(number, MappingProxyType(fields))


def _transaction(number: int) -> CommandType:
    return _type(number, request_id=1, txnid_least_bits=2, txnid_most_bits=3)


def _transaction_response(number: int) -> CommandType:
    return _type(
        number, {"message": 5}, request_id=1, txnid_least_bits=2, txnid_most_bits=3, error=4
    )


TYPES: Mapping[str, CommandType] = MappingProxyType(
    {
        "CONNECT": _type(
            2, {"client_version": 1, "auth_method_name": 5, "proxy_to_broker_url": 6},
            protocol_version=4,
        ),
        "CONNECTED": _type(3, {"server_version": 1}, protocol_version=2, max_message_size=3),
        "SUBSCRIBE": _type(
            4, {"topic": 1, "subscription": 2, "consumer_name": 6},
            sub_type=3, consumer_id=4, request_id=5, durable=8,
        ),
        "PRODUCER": _type(5, {"topic": 1, "producer_name": 4}, producer_id=2, request_id=3),
        "SEND": _type(
            6, producer_id=1, sequence_id=2, num_messages=3, txnid_least_bits=4,
            txnid_most_bits=5, highest_sequence_id=6,
        ),
        "SEND_RECEIPT": _type(7, ids=3, producer_id=1, sequence_id=2, highest_sequence_id=4),
        "SEND_ERROR": _type(8, {"message": 4}, producer_id=1, sequence_id=2, error=3),
        "MESSAGE": _type(9, ids=2, consumer_id=1, redelivery_count=3),
        "ACK": _type(
            10, ids=3, consumer_id=1, ack_type=2, txnid_least_bits=6, txnid_most_bits=7,
            request_id=8,
        ),
        "FLOW": _type(11, consumer_id=1, message_permits=2),
        "UNSUBSCRIBE": _type(12, consumer_id=1, request_id=2),
        "SUCCESS": _type(13, request_id=1),
        "ERROR": _type(14, {"message": 3}, request_id=1, error=2),
        "CLOSE_PRODUCER": _type(
            15, {"assigned_broker_service_url": 3}, producer_id=1, request_id=2
        ),
        "CLOSE_CONSUMER": _type(
            16, {"assigned_broker_service_url": 3}, consumer_id=1, request_id=2
        ),
        "PRODUCER_SUCCESS": _type(17, {"producer_name": 2}, request_id=1),
        "PING": _type(18),
        "PONG": _type(19),
        "REDELIVER_UNACKNOWLEDGED_MESSAGES": _type(20, ids=2, consumer_id=1),
        "PARTITIONED_METADATA": _type(21, {"topic": 1}, request_id=2),
        "PARTITIONED_METADATA_RESPONSE": _type(
            22, {"message": 5}, partitions=1, request_id=2, response=3, error=4
        ),
        "LOOKUP": _type(
            23, {"topic": 1, "advertised_listener_name": 7}, request_id=2, authoritative=3
        ),
        "LOOKUP_RESPONSE": _type(
            24, {"broker_service_url": 1, "broker_service_url_tls": 2, "message": 7},
            response=3, request_id=4, authoritative=5, error=6, proxy_through_service_url=8,
        ),
        "CONSUMER_STATS": _type(25, request_id=1, consumer_id=4),
        "CONSUMER_STATS_RESPONSE": _type(26, {"error_message": 3}, request_id=1, error_code=2),
        "REACHED_END_OF_TOPIC": _type(27, consumer_id=1),
        "SEEK": _type(28, ids=3, consumer_id=1, request_id=2, message_publish_time=4),
        "GET_LAST_MESSAGE_ID": _type(29, consumer_id=1, request_id=2),
        "GET_LAST_MESSAGE_ID_RESPONSE": _type(30, ids=1, request_id=2),
        "ACTIVE_CONSUMER_CHANGE": _type(31, consumer_id=1, is_active=2),
        "GET_TOPICS_OF_NAMESPACE": _type(
            32, {"namespace": 2, "topics_pattern": 4}, request_id=1, mode=3
        ),
        "GET_TOPICS_OF_NAMESPACE_RESPONSE": _type(33, request_id=1),
        "GET_SCHEMA": _type(34, {"topic": 2}, request_id=1),
        "GET_SCHEMA_RESPONSE": _type(35, {"error_message": 3}, request_id=1, error_code=2),
        "AUTH_CHALLENGE": _type(36, {"server_version": 1}, protocol_version=3),
        "AUTH_RESPONSE": _type(37, {"client_version": 1}, protocol_version=3),
        "ACK_RESPONSE": _type(
            38, {"message": 5}, consumer_id=1, txnid_least_bits=2, txnid_most_bits=3, error=4,
            request_id=6,
        ),
        "GET_OR_CREATE_SCHEMA": _type(39, {"topic": 2}, request_id=1),
        "GET_OR_CREATE_SCHEMA_RESPONSE": _type(
            40, {"error_message": 3}, request_id=1, error_code=2
        ),
        "NEW_TXN": _type(50, request_id=1, txn_ttl_seconds=2, tc_id=3),
        "NEW_TXN_RESPONSE": _transaction_response(51),
        "ADD_PARTITION_TO_TXN": _transaction(52),
        "ADD_PARTITION_TO_TXN_RESPONSE": _transaction_response(53),
        "ADD_SUBSCRIPTION_TO_TXN": _transaction(54),
        "ADD_SUBSCRIPTION_TO_TXN_RESPONSE": _transaction_response(55),
        "END_TXN": _transaction(56),
        "END_TXN_RESPONSE": _transaction_response(57),
        "END_TXN_ON_PARTITION": _transaction(58),
        "END_TXN_ON_PARTITION_RESPONSE": _transaction_response(59),
        "END_TXN_ON_SUBSCRIPTION": _transaction(60),
        "END_TXN_ON_SUBSCRIPTION_RESPONSE": _transaction_response(61),
        "TC_CLIENT_CONNECT_REQUEST": _type(62, request_id=1, tc_id=2),
        "TC_CLIENT_CONNECT_RESPONSE": _type(63, {"message": 3}, request_id=1, error=2),
        "WATCH_TOPIC_LIST": _type(
            64, {"namespace": 3, "topics_pattern": 4}, request_id=1, watcher_id=2
        ),
        "WATCH_TOPIC_LIST_SUCCESS": _type(65, request_id=1, watcher_id=2),
        "WATCH_TOPIC_UPDATE": _type(66, watcher_id=1),
        "WATCH_TOPIC_LIST_CLOSE": _type(67, request_id=1, watcher_id=2),
        "TOPIC_MIGRATED": _type(
            68, {"broker_service_url": 3, "broker_service_url_tls": 4},
            resource_id=1, resource_type=2,
        ),
    }
)  # fmt: skip
NAME_OF: Mapping[int, str] = MappingProxyType({kind.number: name for name, kind in TYPES.items()})
