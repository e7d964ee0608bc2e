"""What is known to be secret, or looks it, is in no text; the rest stays as it is."""

from __future__ import annotations

import base64
import errno
import json
import re
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.machine.secrecy import (
    hide_in,
    hide_secrets,
    learn,
    learn_settings,
    learn_url,
    tells_secret,
)
from touchstone.brokers.option import broker_settings

AWKWARD = 'p@s "w\\ö<&rd>/7f3a'
TOKEN = "x-52b0c1f7-0d7a-4a5e-9f6e-3c1d8e7a4b21"


@pytest.mark.parametrize(
    "text",
    [
        f"said {AWKWARD} aloud",
        json.dumps({"a": AWKWARD}),
        json.dumps({"a": AWKWARD}, ensure_ascii=False),
        repr(("x", AWKWARD)),
        quote(AWKWARD),
        quote(AWKWARD, safe=""),
        AWKWARD.encode().hex(),
        *(base64.b64encode(b"1234"[:n] + AWKWARD.encode() + b"ab").decode() for n in range(4)),
        base64.urlsafe_b64encode(AWKWARD.encode() * 2).decode(),
    ],
)
def test_a_secret_is_hidden_however_it_is_spelled(text: str) -> None:
    learn(AWKWARD)
    shown = hide_secrets(text)
    assert shown != text
    assert AWKWARD not in shown
    assert AWKWARD.encode().hex() not in shown
    assert quote(AWKWARD) not in shown
    for piece in re.findall(r"[\w+/-]{12,}", shown):
        padded = piece.translate(str.maketrans("-_", "+/")) + "=" * (-len(piece) % 4)
        assert AWKWARD.encode()[3:-3] not in base64.b64decode(padded)


@pytest.mark.parametrize("text", [f"{TOKEN[:20]}...", f"...{TOKEN[-20:]}'", f"{TOKEN[:14]}… x"])
def test_neither_head_nor_tail_is_left_where_a_text_was_shortened(text: str) -> None:
    learn(TOKEN)
    assert hide_secrets(text).replace("***", "") == text.replace(TOKEN[:20], "").replace(
        TOKEN[-20:], ""
    ).replace(TOKEN[:14], "")


def test_the_head_that_tokens_share_hides_no_other_token_in_part() -> None:
    learn("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbg")
    assert hide_secrets("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJiIn0.b3RoZXI") == "***"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("amqp://user:se:cr@et@host:1/x", "amqp://user:***@host:1/x"),
        ("no folder amqp:/me:secret@host", "no folder amqp:/me:***@host"),
        ("cannot reach https://me:secret@host, sorry", "cannot reach https://me:***@host, sorry"),
        ("sent eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbg now", "sent *** now"),
        ("amqp://h:1?jms.username=me&jms.password=a%26b&x=1", None),
        ('Login required password="hunter2";', 'Login required password="***";'),
        ('{"userId": "me", "password": "hun\\"2"}', '{"userId": "me", "password": "***"}'),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----\n",
        ),
    ],
)
def test_what_looks_like_a_secret_is_hidden_unlearnt(text: str, shown: str | None) -> None:
    assert hide_secrets(text) == (shown or text.replace("a%26b", "***"))


@pytest.mark.parametrize(
    ("setting", "value", "secret"),
    [
        ("saslJaasConfig", f"Plain required password={json.dumps(AWKWARD)};", AWKWARD),
        ("saslJaasConfig", "Plain required user='me' password='p@s x7f3a';", "p@s x7f3a"),
        ("authParams", json.dumps({"userId": "me", "password": AWKWARD}), AWKWARD),
        ("authParams", f'{{"clientSecret": {json.dumps(AWKWARD, ensure_ascii=False)}}}', AWKWARD),
        ("authParams", "keyStorePassword:p@s;x&7f3a,keyStorePath:/there", "p@s;x&7f3a"),
        ("credentials", "user=me;password=p@s,x&7f3a;host=h", "p@s,x&7f3a"),
    ],
)
def test_a_part_of_a_setting_is_hidden_where_it_stands_alone(
    setting: str, value: str, secret: str
) -> None:
    learn_settings({setting: value})
    assert hide_secrets(f"it said: {secret}") == "it said: ***"
    assert hide_secrets("by user and keyStorePath") == "by user and keyStorePath"


def test_a_file_is_rid_of_secrets_and_of_nothing_else(tmp_path: Path) -> None:
    learn(AWKWARD)
    log = tmp_path / "broker.log"
    log.write_bytes(b"\xff\xfe " + AWKWARD.encode() + b"\n")
    hide_in(log)
    hide_in(tmp_path / "not-there.log")
    assert log.read_bytes() == b"\xff\xfe ***\n"


def test_a_file_that_cannot_be_written_anew_does_not_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    learn(AWKWARD)
    log = tmp_path / "broker.log"
    log.write_text(AWKWARD)
    monkeypatch.setattr(Path, "write_text", full)
    hide_in(log)
    assert not log.exists()


def test_one_spelling_of_a_secret_leaves_no_half_of_another() -> None:
    """Escaped it begins and ends like itself, and is longer."""
    secret = 'abcdef0123456789"\\ö&fedcba9876543210'
    learn(secret)
    assert hide_secrets(f"said {secret}, {json.dumps(secret)}") == 'said ***, "***"'


@pytest.mark.parametrize(
    "text",
    [
        "amqp://user@host",
        "pulsar://host:6650,pulsar://other:6650/x@y",
        "Consumer{url=pulsar://localhost:6650,id=Foo@1234}",
        "Login(user_name='me', password=None)",
        "the token is wrong: token=None",
        "persistent://public/default/a@b:c",
    ],
)
def test_what_is_no_secret_is_shown(text: str) -> None:
    assert hide_secrets(text) == text


def test_a_short_secret_is_hidden_as_a_word_only() -> None:
    learn("guezt")
    assert hide_secrets("guezt, 'guezt' and guezthouse") == "***, '***' and guezthouse"


def test_plain_data_keep_their_form() -> None:
    learn("deep-down-9")
    data = {"a": ["x deep-down-9", 1, None, True], "b": ("deep-down-9",), "c": {"d": 2.5}}
    assert hide_secrets(data) == {"a": ["x ***", 1, None, True], "b": ("***",), "c": {"d": 2.5}}


def test_addresses_and_settings_tell_their_secrets() -> None:
    BrokerAddress(
        "pulsar://h:1", "http://a:admin-url-pw@h", "auth", "embedded", "1", "pulsar",
        token="address-token", role_tokens={"r": "address-role"}, password="address-password",
    )  # fmt: skip
    broker_settings("amqp://u:settings%2Dpw@h", family="rabbitmq")
    learn_settings({"authParams": "token:opaque-thing", "in": {"url": "x://u:nested-pw@h"}, "n": 1})
    learn_url("https://me:p@ss/word@mirror")
    for secret in (
        *("admin-url-pw", "address-token", "address-role", "address-password", "settings-pw"),
        *("settings%2Dpw", "opaque-thing", "nested-pw", "p@ss/word"),
    ):
        assert hide_secrets(f"<{secret}>") == "<***>"


def test_command_line_and_environment_tell_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["touchstone", "--broker", "rabbitmq=amqp://me:in-argv@h"])
    monkeypatch.setenv("MY_CLIENT_TOKEN", "in-a-variable")
    monkeypatch.setenv("TOUCHSTONE_MAVEN_URL", "https://me:in-a-mirror@maven.example")
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")
    monkeypatch.setenv("THE_TOKEN_FILE", __file__)
    monkeypatch.setenv("A_LONG_TOKEN", "longer" * 1000)
    assert hide_secrets(f"{__file__} {'longer' * 1000}") == f"{__file__} ***"
    assert hide_secrets("in-argv in-a-variable in-a-mirror false") == "*** *** *** false"
    monkeypatch.setenv(
        "JAVA_TOOL_OPTIONS", "-Xmx1g -Djavax.net.ssl.keyStorePassword=in-options -Da=b"
    )
    monkeypatch.setenv("THE_LOGIN_TOKEN", '{"password": "in-a-part", "name": "known-to-all"}')
    monkeypatch.setattr(sys, "argv", ["verify", "--spark-conf", "spark.ssl.keyPassword=in-a-word"])
    told = "in-options -Xmx1g in-a-part known-to-all in-a-word"
    assert hide_secrets(told) == "*** -Xmx1g *** known-to-all ***"


@pytest.mark.parametrize("name", ["authParams", "jms.password", "secretKey", "saslJaasConfig"])
def test_names_that_say_secret(name: str) -> None:
    assert tells_secret(name)
    assert not tells_secret("brokerServiceUrl")
    assert not tells_secret(f"{name}File")
