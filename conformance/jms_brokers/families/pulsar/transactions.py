"""The transactions of a Pulsar broker, as its administrator sees and ends them."""

from __future__ import annotations

from urllib.parse import quote

from jms_brokers.families.pulsar.rest import PulsarRest, TopicName

TransactionId = tuple[int, int]
"""The halves of the number: of the coordinator, and of the transaction there."""
_FAILED, _NO_COORDINATOR = 500, "Transaction coordinator not found"
"""The answer of a broker whose coordinator nobody has asked for anything yet."""


def open_on(rest: PulsarRest, topic: TopicName) -> list[TransactionId]:
    """The transactions that have sent to the topic and are neither committed nor aborted."""
    parts = {str(part) for part in rest.parts(topic)}
    # Slow is what may last longer than so many milliseconds: here that is all.
    answer = rest.request("GET", f"{_root(rest)}/slowTransactions/0", accept=(_FAILED,))
    if answer.status_code == _FAILED and _NO_COORDINATOR in answer.text:
        return []
    return [
        _halves(each["txnId"])
        for each in rest.expected(answer).json().values()
        if each["status"] == "OPEN" and parts & each["producedPartitions"].keys()
    ]


def acknowledging(rest: PulsarRest, part: TopicName, subscription: str) -> int:
    """How many transactions have acknowledged for a subscription and are not ended.

    `part` has no partitions itself. A broker without transactions has none.
    """
    local = f"{part.tenant}/{part.space}/{quote(part.local, safe='')}"
    path = f"{_root(rest)}/pendingAckStats/{local}/{quote(subscription, safe='')}"
    answer = rest.request("GET", path, accept=(404, 503))
    return int(answer.json()["ongoingTxnSize"]) if answer.is_success else 0


def abort(rest: PulsarRest, transaction: TransactionId) -> None:
    """Abort the transaction, as the broker does itself when its time is over."""
    most, least = transaction
    rest.request("POST", f"{_root(rest)}/abortTransaction/{most}/{least}")


def _root(rest: PulsarRest) -> str:
    return f"{rest.address.admin_url}/admin/v3/transactions"


def _halves(text: str) -> TransactionId:
    """The number that is written as `(0,5)`."""
    most, least = text.strip("()").split(",")
    return int(most), int(least)
