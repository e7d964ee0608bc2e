"""The client of the admin API beside a server that does not answer."""

from __future__ import annotations

import socket

import httpx
import pytest

from jmsapi import IllegalStateException, JMSException
from pulsar_jms.transport.admin_rest import AdminRest
from pulsar_jms.transport.credentials import Credentials


def test_a_deletion_that_is_never_answered_is_not_waited_for_for_long() -> None:
    """A usual request would wait ten minutes here."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        admin = AdminRest(
            url, Credentials(), request_timeout=600.0, startup_timeout=0.0, deletion_timeout=0.2
        )
        with pytest.raises(JMSException, match=r"delete the subscription 's'.*does not answer"):
            admin.delete_subscription("persistent://tenant/space/topic", "s")


def test_what_is_asked_while_the_factory_closes_is_refused() -> None:
    admin = AdminRest("http://x", Credentials(), request_timeout=1.0, startup_timeout=60.0)
    admin.close()
    with pytest.raises(IllegalStateException, match=r"delete the subscription 's'.*was closed"):
        admin.delete_subscription("persistent://tenant/space/topic", "s")


@pytest.mark.parametrize(
    ("name", "path"), [("plain", "plain"), ("per%cent", "per%2525cent"), ("a+b c", "a%252Bb%2520c")]
)
def test_the_name_of_a_subscription_is_quoted_for_a_broker_that_decodes_twice(
    monkeypatch: pytest.MonkeyPatch, name: str, path: str
) -> None:
    asked: list[str] = []

    def request(
        admin: AdminRest, method: str, path: str, *_: object, **__: object
    ) -> httpx.Response:
        asked.append(path)
        return httpx.Response(httpx.codes.NO_CONTENT)

    monkeypatch.setattr(AdminRest, "_request", request)
    admin = AdminRest("http://x", Credentials(), request_timeout=1.0, startup_timeout=60.0)
    admin.create_subscription("persistent://tenant/space/topic", name, earliest=True)
    admin.delete_subscription("persistent://tenant/space/topic", name)
    assert asked == [f"persistent/tenant/space/topic/subscription/{path}"] * 2
