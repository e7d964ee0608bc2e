"""What the administration answers is read, or said not to be understood."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import httpx
import pytest

from jmsapi import JMSException
from pulsar_jms.mapping.schema import TopicSchema
from pulsar_jms.mapping.topic_extent import Extent
from pulsar_jms.transport import admin_answers
from pulsar_jms.transport.admin_answers import NotUnderstoodError
from pulsar_jms.transport.admin_rest import AdminRest
from pulsar_jms.transport.credentials import Credentials

TOPIC = "persistent://tenant/space/topic"


def test_answers_that_pulsar_gives() -> None:
    stats = b'{"subscriptions": {"s": {"consumers": [{}, {}], "msgInReplay": 0}}}'
    internal = (
        b'{"lastConfirmedEntry": "7:3", "cursors": {"s": {"individuallyDeletedMessages":'
        b' "[(7:1..7:2]]"}}}'
    )
    assert admin_answers.partitions(b'{"partitions": 3}') == 3
    assert admin_answers.topics(b'["persistent://t/n/a"]') == ["persistent://t/n/a"]
    assert admin_answers.schema(b'{"type": "JSON", "data": "{}"}') == TopicSchema("JSON", "{}")
    assert admin_answers.has_consumers(stats)
    assert admin_answers.is_all_sent_again("s", stats)
    assert not admin_answers.is_all_sent_again("other", stats)
    assert admin_answers.extent("s", internal) == Extent((7, 3), True, (((7, 1), (7, 2)),))
    assert admin_answers.extent("other", internal) == Extent((7, 3), False)


@pytest.mark.parametrize(
    ("name", "cursor"),
    [("per%cent", "per%25cent"), ("a b+c", "a+b%2Bc"), ("x~*-._", "x%7E*-._"), ("é:", "%C3%A9%3A")],
)
def test_a_cursor_has_the_name_of_its_subscription_as_java_encodes_it(
    name: str, cursor: str
) -> None:
    stats = {
        "lastConfirmedEntry": "7:3",
        "cursors": {cursor: {"individuallyDeletedMessages": "[]"}},
    }

    assert admin_answers.extent(name, json.dumps(stats).encode()) == Extent((7, 3), True)


@pytest.mark.parametrize(
    "answer",
    [
        "<html>Log in</html>",
        "",
        "[1]",
        "null",
        '{"partitions": "3", "type": 5, "cursors": [], "subscriptions": 1}',
        '{"partitions": 1000000000, "subscriptions": {"s": []}, "cursors": {"s": []}}',
        "[" * 100_000,
    ],
)
def test_any_other_answer_is_not_understood(answer: str) -> None:
    readers: tuple[Callable[[bytes], object], ...] = (
        admin_answers.partitions,
        admin_answers.schema,
        admin_answers.topics,
        admin_answers.has_consumers,
        partial(admin_answers.extent, "s"),
        partial(admin_answers.is_all_sent_again, "s"),
    )
    for read in readers:
        with pytest.raises(NotUnderstoodError):
            read(answer.encode())


def test_a_page_in_place_of_the_administration_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    page = httpx.MockTransport(lambda request: httpx.Response(200, text="<html>Log in</html>"))
    admin = AdminRest("http://x", Credentials(), request_timeout=1.0, startup_timeout=0.0)
    monkeypatch.setattr(admin, "_http", httpx.Client(transport=page, base_url="http://x/admin/v2/"))
    with pytest.raises(JMSException, match=r"look up .*/topic: http://x/.*check webServiceUrl"):
        admin.parts(TOPIC)
