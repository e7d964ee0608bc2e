"""Clients that are wrong about header fields."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from unittest.mock import patch

from pulsar_jms.mapping.headers import HeaderFields, write_headers
from pulsar_jms.messages import wire_encoding
from touchstone.mutants.registry import Mutant


def headers_rewritten(
    rewrite: Callable[[dict[str, str], HeaderFields], object],
) -> Callable[[], AbstractContextManager[object]]:
    """The header fields are written as they should be, and then changed by `rewrite`."""

    def write(fields: HeaderFields, namespace: str, wire: dict[str, str]) -> None:
        write_headers(fields, namespace, wire)
        rewrite(wire, fields)

    return partial(patch.object, wire_encoding, "write_headers", write)


def _correlation_as_text(wire: dict[str, str], fields: HeaderFields) -> None:
    if fields.correlation is not None:
        wire["JMSCorrelationID"] = fields.correlation.decode("utf-8", "replace")


def _correlation_encoded_once(wire: dict[str, str], fields: HeaderFields) -> None:
    """Base64 of four letters and more, which many a name is."""
    if fields.correlation is not None:
        with suppress(ValueError):
            b64decode(fields.correlation, validate=True)
            wire["JMSCorrelationID"] = fields.correlation.decode()


def _short_reply(wire: dict[str, str], fields: HeaderFields) -> None:
    if "JMSReplyTo" in wire:
        wire["JMSReplyTo"] = wire["JMSReplyTo"].rpartition("/")[2]


CORRELATION_ID_IN_THE_CLEAR = Mutant(
    name="correlation-id-in-the-clear",
    area="headers",
    violates=("SLJ-HDR-002", "SLJ-HDR-003"),
    doc="The correlation id travels as its own text, not in base64.",
    apply=headers_rewritten(_correlation_as_text),
)
REPLY_BY_SHORT_NAME = Mutant(
    name="reply-by-short-name",
    area="headers",
    violates=("SLJ-HDR-005",),
    doc="JMSReplyTo is the last part of the topic's name.",
    apply=headers_rewritten(_short_reply),
)
REPLY_TOPIC_UNMARKED = Mutant(
    name="reply-topic-unmarked",
    area="headers",
    violates=("SLJ-HDR-007",),
    doc="A reply topic is not told from a reply queue.",
    apply=headers_rewritten(lambda wire, fields: wire.pop("JMSReplyToType", None)),
)
TYPE_LOST = Mutant(
    name="type-lost",
    area="headers",
    violates=("SLJ-HDR-001",),
    doc="JMSType is not sent along.",
    apply=headers_rewritten(lambda wire, fields: wire.pop("JMSType", None)),
)
CORRELATION_ID_TAKEN_FOR_BASE64 = Mutant(
    name="correlation-id-taken-for-base64",
    area="headers",
    violates=("SLJ-HDR-002",),
    doc="A correlation id that could be Base64 is taken to be encoded already.",
    apply=headers_rewritten(_correlation_encoded_once),
)
