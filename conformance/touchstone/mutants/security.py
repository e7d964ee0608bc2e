"""Clients that are wrong about credentials."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

from jmsapi import JMSException, JMSSecurityException
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.configuration import Settings
from pulsar_jms.factories import client_opening, factory
from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.mapping.security import LOGIN_FLAG, TOKEN, Login, login_params
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.reachability import check_reachable
from touchstone.mutants.registry import Mutant

_credentials = client_opening._credentials
_send = PulsarMessageProducer.send
_open_client, _close = PulsarConnectionFactory._open_client, PulsarConnectionFactory.close


def _always_of_the_login(configured: Settings, login: Login) -> Credentials:
    return _credentials(replace(configured, values={**configured.values, LOGIN_FLAG: True}), login)


def _with_or_without_the_word(plugin: str, login: Login) -> str:
    return TOKEN + (login.password or "").removeprefix(TOKEN)


def _of_somebody(plugin: str, login: Login) -> str:
    if not login.user_name:
        raise JMSSecurityException("There is no user name")
    return login_params(plugin, login)


def _without_a_reason(configured: Settings, credentials: Credentials) -> None:
    try:
        check_reachable(configured, credentials)
    except JMSSecurityException as refusal:
        raise JMSException(refusal.reason) from refusal


def _opened_anew(one: PulsarConnectionFactory, login: Login) -> Settings:
    if one._client is not None:
        _older.setdefault(id(one), []).append(one._client)
        one._client = None
    return _open_client(one, login)


def _opened_beside(one: PulsarConnectionFactory, login: Login) -> Settings:
    first = one._client
    configured = _opened_anew(one, login)
    if first is not None and one._client is not None:
        _older[id(one)][-1], one._client = one._client, first
    return configured


def _all_closed(one: PulsarConnectionFactory) -> None:
    _close(one)
    for client in _older.pop(id(one), []):
        client.close()


def _sent_or_dropped(producer: PulsarMessageProducer, *args: Any, **options: Any) -> None:
    with suppress(JMSSecurityException):
        _send(producer, *args, **options)


_older: dict[int, list[BrokerClient]] = {}

LOGIN_IGNORED = Mutant(
    name="login-ignored",
    area="security",
    violates=("SLJ-SEC-002", "SLJ-SEC-003", "JMS-SEC-001"),
    doc="User name and password never reach the broker.",
    apply=partial(patch.object, Login, "is_given", False),
)
LOGIN_WITHOUT_THE_FLAG = Mutant(
    name="login-without-the-flag",
    area="security",
    violates=("SLJ-SEC-004",),
    doc="User name and password reach the broker whether the flag is set or not.",
    apply=partial(patch.object, client_opening, "_credentials", _always_of_the_login),
)
BARE_TOKEN_ACCEPTED = Mutant(
    name="bare-token-accepted",
    area="security",
    violates=("SLJ-SEC-006",),
    doc="A password is a token also without the word token and the colon.",
    apply=partial(patch.object, client_opening, "login_params", _with_or_without_the_word),
)
USER_NAME_ASKED_FOR = Mutant(
    name="user-name-asked-for",
    area="security",
    violates=("SLJ-SEC-005",),
    doc="A token without a user name is refused.",
    apply=partial(patch.object, client_opening, "login_params", _of_somebody),
)
LATER_LOGIN_IGNORED = Mutant(
    name="later-login-ignored",
    area="security",
    violates=("SLJ-SEC-007",),
    doc="Later connections of a factory may come with any user name and password.",
    apply=partial(patch.object, factory, "check_repeated", lambda first, login: None),
)
CLIENT_FOR_EACH_CONNECTION = Mutant(
    name="client-for-each-connection",
    area="security",
    violates=("SLJ-SEC-008",),
    doc="Every connection has a client of the broker of its own.",
    apply=partial(
        patch.multiple,
        PulsarConnectionFactory,
        _open_client=_opened_anew,
        close=_all_closed,
    ),
)
CLIENT_BESIDE_THE_FIRST = Mutant(
    name="client-beside-the-first",
    area="security",
    violates=("SLJ-SEC-008",),
    doc="Every connection opens a client of the broker of its own, and does its work by the first.",
    apply=partial(
        patch.multiple,
        PulsarConnectionFactory,
        _open_client=_opened_beside,
        close=_all_closed,
    ),
)
FORBIDDEN_SENDS_DROPPED = Mutant(
    name="forbidden-sends-dropped",
    area="security",
    violates=("JMS-SEC-003",),
    doc="What its user may not send a producer drops without a word.",
    apply=partial(patch.object, PulsarMessageProducer, "send", _sent_or_dropped),
)
REFUSED_WITHOUT_A_REASON = Mutant(
    name="refused-without-a-reason",
    area="security",
    violates=("SLJ-SEC-002", "SLJ-SEC-004", "JMS-SEC-002"),
    doc="Credentials that the broker refuses are a JMSException like any other.",
    apply=partial(patch.object, client_opening, "check_reachable", _without_a_reason),
)
