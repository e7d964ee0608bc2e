"""What a login means: a token, whoever shows it, and the same one for ever."""

from __future__ import annotations

import pytest

from jmsapi import IllegalStateException, JMSException, JMSSecurityException
from pulsar_jms.mapping.security import TOKEN_PLUGIN, Login, check_repeated, login_params


@pytest.mark.parametrize("user", [None, "", "a"])
@pytest.mark.parametrize("plugin", ["", TOKEN_PLUGIN, "AuthenticationToken"])
def test_the_password_is_what_the_broker_is_shown(user: str | None, plugin: str) -> None:
    assert login_params(plugin, Login(user, "token:abc")) == "token:abc"


@pytest.mark.parametrize("password", [None, "", "abc", "token:", "Token:abc", " token:abc"])
def test_a_password_that_is_no_token_is_refused_and_not_shown(password: str | None) -> None:
    with pytest.raises(JMSSecurityException, match="'token:'") as refused:
        login_params("", Login("user", password))
    assert "abc" not in str(refused.value)


@pytest.mark.parametrize("kind", ["AuthenticationBasic", "AuthenticationTls", "Authentication"])
def test_other_plug_ins_take_no_login(kind: str) -> None:
    plugin = f"org.apache.pulsar.client.impl.auth.{kind}"
    with pytest.raises(JMSException, match=kind):
        login_params(plugin, Login("user", "token:abc"))


FIRST = Login("user", "token:A")


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (FIRST, Login("user", "token:A")),
        (Login(None, "token:A"), Login("", "token:A")),
        (Login(), Login("", "")),
    ],
)
def test_the_first_login_may_be_repeated(first: Login, later: Login) -> None:
    check_repeated(first, later)
    assert first.is_given == later.is_given


@pytest.mark.parametrize(
    ("first", "later"),
    [
        (FIRST, Login("user", "token:B")),
        (FIRST, Login("other", "token:A")),
        (FIRST, Login("user", None)),
        (FIRST, Login()),
        (Login(), FIRST),
    ],
)
def test_any_other_login_is_refused(first: Login, later: Login) -> None:
    with pytest.raises(IllegalStateException, match="another factory") as refused:
        check_repeated(first, later)
    assert "token:" not in str(refused.value)


def test_a_login_is_never_shown() -> None:
    assert "A" not in repr(FIRST)
    assert "user" not in repr(FIRST)
