"""Asks a Pulsar broker whether it is there: over its admin API, and by passing a message."""

from __future__ import annotations

import os
import secrets
from types import TracebackType
from typing import Self

import _pulsar
import httpx
import pulsar

from jms_brokers.brokers.http_trust import trusted_authority
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.errors import BrokerError

_NAMESPACE = "public/default"


class AdminApi:
    """The few admin calls that brokers need, for one address."""

    def __init__(self, address: BrokerAddress, *, seconds: float = 5.0) -> None:
        headers = {"Authorization": f"Bearer {address.token}"} if address.token else {}
        self._http = httpx.Client(
            base_url=address.admin_url,
            headers=headers,
            verify=trusted_authority(address),
            timeout=seconds,
            # A proxy from the environment must not come between us and a broker of our own.
            trust_env=address.way == "external",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def namespace_is_served(self) -> bool:
        """Return whether `public/default` exists; False also while nobody answers."""
        try:
            return self._http.get(f"/admin/v2/namespaces/{_NAMESPACE}").status_code == 200
        except httpx.TransportError:
            return False

    def version(self) -> str:
        """Return the broker's version, such as `4.0.7`; raises httpx errors."""
        answer = self._http.get("/admin/v2/brokers/version")
        answer.raise_for_status()
        return answer.text.strip().strip('"')

    def metadata_store(self) -> str:
        """Return the URL of the broker's metadata store, which tells one broker from another."""
        answer = self._http.get("/admin/v2/brokers/internal-configuration")
        answer.raise_for_status()
        return str(answer.json()["metadataStoreUrl"])

    def make_administrator(self, role: str, *, tenant: str, cluster: str) -> None:
        """Let `role` do everything in `tenant`."""
        self._http.post(
            f"/admin/v2/tenants/{tenant}",
            json={"adminRoles": [role], "allowedClusters": [cluster]},
        ).raise_for_status()

    def delete_topic(self, topic: str) -> None:
        """Delete `topic` with its subscriptions; one that is not there is fine."""
        answer = self._http.delete(f"/admin/v2/persistent/{topic}", params={"force": "true"})
        if answer.status_code != 404:
            answer.raise_for_status()


def client(address: BrokerAddress, *, seconds: int = 5) -> pulsar.Client:
    """Return a pulsar-client for `address` with the harness's own rights; the caller closes it."""
    tls = address.service_url.startswith("pulsar+ssl")
    return pulsar.Client(
        address.service_url,
        operation_timeout_seconds=seconds,
        authentication=pulsar.AuthenticationToken(address.token) if address.token else None,
        tls_trust_certs_file_path=address.trust_certificate if tls else None,
        tls_validate_hostname=tls,
        logger=pulsar.FileLogger(_pulsar.LoggerLevel.Error, os.devnull),
    )


def pass_a_message(address: BrokerAddress) -> None:
    """Send a message, read it back, and remove its topic; raises BrokerError."""
    topic = f"{_NAMESPACE}/touchstone-ready-{secrets.token_hex(4)}"
    content = secrets.token_bytes(8)
    connection = client(address, seconds=20)
    try:
        producer = connection.create_producer(f"persistent://{topic}")
        producer.send(content)
        reader = connection.create_reader(f"persistent://{topic}", pulsar.MessageId.earliest)
        arrived = reader.read_next(timeout_millis=20_000).data()
    except _pulsar.PulsarException as error:
        raise BrokerError(
            f"No message goes through the broker {address.service_url} ({error})",
            hint=f"Its log may say why: {address.log}" if address.log else "Look at its log",
        ) from error
    finally:
        connection.close()
    if arrived != content:
        raise BrokerError(
            f"The broker {address.service_url} gave back another message than was sent",
            hint="Is this the broker that you mean?",
        )
    with AdminApi(address) as admin:
        admin.delete_topic(topic)
