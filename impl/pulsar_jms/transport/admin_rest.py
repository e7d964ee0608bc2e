"""The broker's administration over REST (Pulsar admin API v2), as far as a client needs it."""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar
from urllib.parse import quote

import httpx

from jmsapi import (
    IllegalStateException,
    InvalidDestinationException,
    JMSException,
    JMSSecurityException,
)
from pulsar_jms.mapping.schema import TopicSchema
from pulsar_jms.mapping.topic_extent import Extent, entry_of
from pulsar_jms.transport import admin_answers
from pulsar_jms.transport.admin_answers import NotUnderstoodError
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.wire_messages import MessagePosition

_EARLIEST = {"ledgerId": -1, "entryId": -1, "partitionIndex": -1}
_LATEST = {"ledgerId": 2**63 - 1, "entryId": 2**63 - 1, "partitionIndex": -1}
_BUSY, _BUSY_TRIES, _BUSY_RETRY = "Subscription Busy", 20, 0.1
"""How the broker answers while another client makes the same subscription; seconds to wait."""
_DELETED_WITHIN = 5.0
"""Seconds for the answer to a deletion: of two clients that delete the same subscription at the
same time, as consumers do that share it and close together, Pulsar 4.0.7 never answers one."""
_NEWS_WITHIN = 1.0
"""Seconds for an answer that is worth nothing later."""
_RETRY_EVERY = 1.0
"""Seconds between two tries while the server does not answer or is not ready."""


T = TypeVar("T")


class AdminRest:
    """A client of the admin API; usable from several threads."""

    def __init__(
        self,
        url: str,
        credentials: Credentials,
        *,
        request_timeout: float,
        startup_timeout: float,
        deletion_timeout: float = _DELETED_WITHIN,
    ) -> None:
        """Make a client of `url`; the time-outs are seconds, the second for a starting server."""
        self._url = url.rstrip("/")
        self._request_timeout = request_timeout
        self._startup_timeout = startup_timeout
        self._deletion_timeout = min(request_timeout, deletion_timeout)
        self._http = httpx.Client(
            base_url=f"{self._url}/admin/v2/",
            auth=partial(_add_credentials, credentials),
            verify=credentials.tls_context() if self._url.startswith("https") else False,
            timeout=request_timeout,
            trust_env=False,
        )

    def __repr__(self) -> str:
        return f"AdminRest({self._url!r})"

    def check_access(self, namespace: str) -> None:
        """Ask for something that every known client may try; only a refusal counts.

        Raises `JMSSecurityException` when the credentials are not accepted. A server that cannot
        be asked is no reason to refuse: the broker itself will answer.
        """
        try:
            response = self._http.get(f"namespaces/{namespace}")
        except httpx.TransportError as error:
            self._refuse_untrusted(error)
            return
        if response.status_code == httpx.codes.UNAUTHORIZED:
            raise JMSSecurityException(
                f"{self._url} does not accept the credentials: {_reason(response)}; "
                "check authPlugin and authParams"
            )

    def create_subscription(
        self, topic: str, name: str, *, earliest: bool, patient: bool = True
    ) -> None:
        """Make subscription `name` on `topic`, and with it the topic where the broker may."""
        what = f"make the subscription {name!r} on {topic}"
        for tries_left in reversed(range(_BUSY_TRIES)):
            response = self._request(
                "PUT",
                f"{_path(topic)}/subscription/{_quote_twice(name)}",
                what,
                body=_EARLIEST if earliest else _LATEST,
                accepted=(httpx.codes.CONFLICT, httpx.codes.PRECONDITION_FAILED),
                patient=patient,
            )
            if response.status_code != httpx.codes.PRECONDITION_FAILED:
                return
            if not tries_left or _BUSY not in _reason(response):
                raise _refusal(response, what)
            time.sleep(_BUSY_RETRY)

    def delete_subscription(self, topic: str, name: str) -> bool:
        """Delete subscription `name`; False when it has consumers or does not exist."""
        response = self._request(
            "DELETE",
            f"{_path(topic)}/subscription/{_quote_twice(name)}",
            f"delete the subscription {name!r} of {topic}",
            accepted=(httpx.codes.PRECONDITION_FAILED, httpx.codes.NOT_FOUND),
            patient=False,
            within=self._deletion_timeout,
        )
        return response.is_success

    def parts(self, topic: str, within: float | None = None) -> tuple[str, ...]:
        """The partitions of `topic`, itself where it has none, nothing where there is no topic.

        `within` are the seconds that the request may take, by default the usual time-out.
        """
        what = f"look up {topic}"
        response = self._look(f"{_path(topic)}/partitions", what, within)
        if not response.is_success:
            return ()
        count = _parse_answer(response, what, admin_answers.partitions)
        return tuple(f"{topic}-partition-{number}" for number in range(count)) or (topic,)

    def extent(self, topic: str, subscription: str) -> Extent | None:
        """The newest entry of `topic`, and what `subscription` has acknowledged of it."""
        what = f"look into {topic}"
        response = self._look(f"{_path(topic)}/internalStats", what)
        if not response.is_success or topic.startswith("non-persistent://"):
            return None
        return _parse_answer(response, what, partial(admin_answers.extent, subscription))

    def first_due(self, topic: str, subscription: str) -> MessagePosition | None:
        """Peek at the first message that is due to `subscription`."""
        path = f"{_path(topic)}/subscription/{_quote_twice(subscription)}/position/1"
        response = self._look(path, f"peek at the messages for {subscription!r} on {topic}")
        entry = entry_of(response.headers.get("X-Pulsar-Message-ID", ""))
        return MessagePosition(*entry) if response.is_success and entry is not None else None

    def has_consumers(self, topic: str) -> bool:
        """Whether the broker's statistics show a consumer on any partition of `topic`."""
        for part in self.parts(topic):
            what = f"look into {part}"
            response = self._look(f"{_path(part)}/stats", what)
            if response.is_success and _parse_answer(response, what, admin_answers.has_consumers):
                return True
        return False

    def all_sent_again(self, topic: str, subscription: str) -> bool:
        """Look at the consumers of `subscription`, and at what the broker is to send again."""
        within = min(self._request_timeout, _NEWS_WITHIN)
        what = f"look into {topic}"
        response = self._look(f"{_path(topic)}/stats", what, within)
        return response.is_success and _parse_answer(
            response, what, partial(admin_answers.is_all_sent_again, subscription)
        )

    def delete_topic(self, topic: str, *, force: bool, within: float) -> bool:
        """Delete `topic`; False when producers or consumers use it and `force` is false."""
        parts = self.parts(topic, within)
        if not parts:
            return True
        response = self._request(
            "DELETE",
            f"{_path(topic)}{'' if parts == (topic,) else '/partitions'}",
            f"delete {topic}",
            query={"force": str(force).lower()},
            accepted=(httpx.codes.PRECONDITION_FAILED, httpx.codes.NOT_FOUND),
            patient=False,
            within=within,
        )
        return response.status_code != httpx.codes.PRECONDITION_FAILED

    def schema(self, topic: str, version: int | None) -> TopicSchema | None:
        """A schema in the broker's registry, where each partitioned topic has one."""
        tenant, namespace, local = topic.partition("://")[2].split("/", 2)
        name = quote(re.sub(r"-partition-\d+$", "", local), safe="")
        which = "" if version is None else f"/{version}"
        what = f"read the schema of {topic}"
        response = self._look(f"schemas/{tenant}/{namespace}/{name}/schema{which}", what)
        return _parse_answer(response, what, admin_answers.schema) if response.is_success else None

    def topics(self, domain: str, namespace: str) -> list[str]:
        """The full names of the topics in a namespace, each partition by itself."""
        what = f"list the topics of {namespace}"
        response = self._request("GET", f"{domain}/{namespace}", what, patient=False)
        return _parse_answer(response, what, admin_answers.topics)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _refuse_untrusted(self, error: httpx.TransportError) -> None:
        """Raise `JMSSecurityException` for a failure of TLS, which no patience mends."""
        if _is_tls_error(error):
            raise JMSSecurityException(
                f"{self._url} is not trusted or speaks no TLS ({error}); check "
                "tlsTrustCertsFilePath and webServiceUrl"
            ) from error

    def _look(self, path: str, what: str, within: float | None = None) -> httpx.Response:
        """The answer to a question about something that may not exist."""
        not_there = (httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED)
        return self._request("GET", path, what, accepted=not_there, patient=False, within=within)

    def _request(
        self,
        method: str,
        path: str,
        what: str,
        *,
        body: object = None,
        query: Mapping[str, str] | None = None,
        accepted: tuple[int, ...] = (),
        patient: bool = True,
        within: float | None = None,
    ) -> httpx.Response:
        timeout = self._http.timeout if within is None else httpx.Timeout(within)
        until = time.monotonic() + (self._startup_timeout if patient else 0.0)
        while True:
            try:
                response = self._http.request(
                    method, path, json=body, params=query, timeout=timeout
                )
            except httpx.TransportError as error:
                self._refuse_untrusted(error)
                if time.monotonic() + _RETRY_EVERY > until:
                    raise JMSException(
                        f"Cannot {what}: the administration at {self._url} does not answer "
                        f"({error}); check webServiceUrl, or set jms.usePulsarAdmin=false"
                    ) from error
            except RuntimeError as error:  # it is what a closed client of HTTP raises
                raise IllegalStateException(
                    f"Cannot {what}: the connection factory was closed meanwhile"
                ) from error
            else:
                if response.is_success or response.status_code in accepted:
                    return response
                if response.status_code < 500 or time.monotonic() + _RETRY_EVERY > until:
                    raise _refusal(response, what)
            time.sleep(_RETRY_EVERY)


def _add_credentials(credentials: Credentials, request: httpx.Request) -> httpx.Request:
    """The request with the credentials of this moment: a file with a token may change."""
    request.headers.update(credentials.http_headers())
    return request


def _is_tls_error(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None


def _path(topic: str) -> str:
    domain, _, rest = topic.partition("://")
    tenant, namespace, local = rest.split("/", 2)
    return f"{domain}/{tenant}/{namespace}/{quote(local, safe='')}"


def _quote_twice(subscription: str) -> str:
    """A subscription's name in a path, which the broker decodes there twice."""
    return quote(quote(subscription, safe=""), safe="")


def _parse_answer(response: httpx.Response, what: str, read: Callable[[bytes], T]) -> T:
    """What `read` finds in an answer; `JMSException` where something else answered than Pulsar."""
    try:
        return read(response.content)
    except NotUnderstoodError as error:
        raise JMSException(
            f"Cannot {what}: {response.url} gives no answer of Pulsar's administration ({error}); "
            "check webServiceUrl"
        ) from error


def _reason(response: httpx.Response) -> str:
    try:
        return str(response.json()["reason"])
    except (ValueError, KeyError, TypeError):
        return response.reason_phrase or f"status {response.status_code}"


def _refusal(response: httpx.Response, what: str) -> JMSException:
    message = f"Cannot {what}: {_reason(response)} (HTTP {response.status_code})"
    if response.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return JMSSecurityException(f"{message}; grant the client the permission to do this there")
    if response.status_code == httpx.codes.NOT_FOUND:
        return InvalidDestinationException(
            f"{message}; create it, or allow topics to be auto-created"
        )
    return JMSException(message)
