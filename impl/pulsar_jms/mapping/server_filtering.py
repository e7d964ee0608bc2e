"""What the broker's filter gets to know of a consumer, in the metadata of the consumer."""

from __future__ import annotations

from pulsar_jms.implements import implements

_WHEN_REJECTED = {"topic": "drop", "queue": "reschedule"}


@implements("SLJ-SEL-008")
def filter_metadata(
    kind: str,
    selector: str | None,
    not_from: str | None,
    *,
    server_side: bool,
    acknowledge_rejected: bool,
) -> dict[str, str]:
    """The metadata for a consumer of a `queue` or `topic`, as the real client writes them.

    `not_from` is the id of the connection whose messages noLocal rejects; `server_side` and
    `acknowledge_rejected` are jms.useServerSideFiltering and jms.acknowledgeRejectedMessages.
    """
    told = {"jms.force.drop.rejected": "true"} if acknowledge_rejected else {}
    if not server_side:
        return told
    told |= {"jms.filtering": "true", "jms.selector.reject.action": _WHEN_REJECTED[kind]}
    if selector:
        told["jms.selector"] = selector
    if not_from:
        told["jms.filter.JMSConnectionID"] = not_from
    return told
