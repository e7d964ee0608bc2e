"""Pulsar's admin REST API, as far as scenarios look at a broker through it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from jms_brokers.brokers.http_trust import trusted_authority
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError

_TIMEOUT = 20.0
_TAKEN_WITHIN = 10.0
_BETWEEN_TRIES = 0.05
_ANOTHER_CAME_BETWEEN = "BadVersionException"
_RECOVERS = "Error while recovering ledger"
_RECOVERED_WITHIN = 60.0
"""Seconds in which a broker that was killed has its ledgers again."""
_BETWEEN_LOOKS = 0.5


class TopicName:
    """A topic in parts, from a JMS destination, a simple or a fully qualified name."""

    def __init__(self, text: str, namespace: str) -> None:
        kind, scheme, rest = text.partition("://")
        if not scheme:
            kind, rest = "persistent", text
        parts = rest.split("/")
        if len(parts) == 1:
            parts = [*namespace.split("/"), parts[0]]
        self.kind = kind
        self.tenant, self.space, self.local = parts[0], parts[1], "/".join(parts[2:])

    def __str__(self) -> str:
        return f"{self.kind}://{self.tenant}/{self.space}/{self.local}"

    @property
    def path(self) -> str:
        """The topic in the paths of the REST API."""
        local = quote(self.local, safe="")
        return f"{self.kind}/{self.tenant}/{self.space}/{local}"

    def partition(self, number: int) -> TopicName:
        """One partition of this topic."""
        return TopicName(f"{self}-partition-{number}", "")


class PulsarRest:
    """The admin API of one broker, with the harness's own rights."""

    def __init__(self, address: BrokerAddress) -> None:
        self.address = address
        headers = {"Authorization": f"Bearer {address.token}"} if address.token else {}
        self._client = httpx.Client(
            base_url=f"{address.admin_url}/admin/v2/",
            headers=headers,
            verify=trusted_authority(address),
            timeout=_TIMEOUT,
            trust_env=False,
        )

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        json: object = None,
        params: Mapping[str, str | int | bool] | None = None,
        accept: tuple[int, ...] = (),
    ) -> httpx.Response:
        """The answer, of 200 to 299 or a status in `accept`; `BrokerError` otherwise.

        A broker that was killed answers with 500 and `_RECOVERS` while it opens the ledgers of a
        topic; then it is asked again.
        """
        end = time.monotonic() + _RECOVERED_WITHIN
        while True:
            response = self._ask(method, path, json, params)
            if response.status_code in accept:
                return response
            recovers = response.status_code == 500 and _RECOVERS in response.text
            if not recovers or time.monotonic() >= end:
                return self.expected(response)
            time.sleep(_BETWEEN_LOOKS)

    def _ask(
        self, method: str, path: str, json: object, params: Mapping[str, str | int | bool] | None
    ) -> httpx.Response:
        extra: dict[str, Any] = {} if json is None else {"json": json}
        try:
            return self._client.request(method, path, params=params, **extra)
        except httpx.HTTPError as error:
            raise BrokerError(
                f"{method} {path} on {self.address.admin_url} failed: {error!r}",
                hint="Is the broker alive, and is the admin URL right?",
            ) from error

    def expected(self, answer: httpx.Response) -> httpx.Response:
        """The answer, if it is of 200 to 299; `BrokerError` otherwise."""
        if not answer.is_success:
            raise _refusal(answer)
        return answer

    def get(self, path: str, **params: str | int | bool) -> Any:
        """The JSON that the path gives."""
        return self.request("GET", path, params=params or None).json()

    def replace(self, path: str, body: object) -> None:
        """Put `body` in place of what is at `path`; `BrokerError` for a refusal that lasts.

        While the broker stores an acknowledgement in the same record of its metadata it answers
        with 500 and `_ANOTHER_CAME_BETWEEN`; then it is asked again.
        """
        end = time.monotonic() + _TAKEN_WITHIN
        while True:
            answer = self.request("PUT", path, json=body, accept=(500,))
            if _ANOTHER_CAME_BETWEEN not in answer.text or time.monotonic() >= end:
                self.expected(answer)
                return
            time.sleep(_BETWEEN_TRIES)

    def partitions(self, topic: TopicName) -> int:
        """The number of partitions; 0 for a topic without."""
        answer = self.request("GET", f"{topic.path}/partitions", accept=(404,))
        return int(answer.json()["partitions"]) if answer.is_success else 0

    def parts(self, topic: TopicName) -> list[TopicName]:
        """The partitions of a partitioned topic, else the topic itself."""
        count = self.partitions(topic)
        return [topic.partition(number) for number in range(count)] or [topic]

    def create_namespace(self, namespace: str) -> None:
        """Create the namespace, and its tenant where that is missing.

        Of two who create the same at once, the slower one may be answered with 500, and the broker
        may not know for a moment what it has just made: both are asked for again.
        """
        tenant = namespace.partition("/")[0]
        roles = sorted(self.address.role_tokens.keys() & {"client"})
        cluster = {"allowedClusters": self.get("clusters"), "adminRoles": roles}
        end = time.monotonic() + _TAKEN_WITHIN
        while not (
            (tenant in self.get("tenants") or self._created(f"tenants/{tenant}", cluster, end))
            and self._created(f"namespaces/{namespace}", {}, end)
        ):
            time.sleep(_BETWEEN_TRIES)

    def _created(self, path: str, body: object, end: float) -> bool:
        """Whether what is at `path` exists now; `BrokerError` for a refusal that lasts."""
        answer = self.request("PUT", path, json=body, accept=(404, 409, 412, 500))
        if answer.is_success or answer.status_code == 409:
            return True
        if time.monotonic() >= end:
            raise _refusal(answer)
        return False


def _refusal(response: httpx.Response) -> BrokerError:
    return BrokerError(
        f"{response.request.method} {response.request.url} was answered with"
        f" {response.status_code}: {response.text[:300]}",
        hint="401 and 403: the harness's token lacks the right. Otherwise see the broker's log.",
    )
