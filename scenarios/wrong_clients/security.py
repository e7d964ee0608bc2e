"""Clients that are wrong about credentials."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from jms_clients.mutants.wrong import wrong
from jmsapi import JMSException, JMSSecurityException
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.configuration import Settings
from pulsar_jms.factories import client_opening, factory
from pulsar_jms.factories.factory import PulsarConnectionFactory
from pulsar_jms.mapping.security import LOGIN_FLAG, TOKEN, Login, login_params
from pulsar_jms.producing.producer import PulsarMessageProducer
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.reachability import check_reachable

_close = PulsarConnectionFactory.close
_tokens: dict[str, str] = {}
_older: dict[int, list[BrokerClient]] = {}
_open_client = PulsarConnectionFactory._open_client


@wrong("SLJ-SEC-002", "SLJ-SEC-003", "JMS-SEC-001")
def login_ignored() -> AbstractContextManager[object]:
    """User name and password never reach the broker."""
    return patch.object(Login, "is_given", False)


@wrong("SLJ-SEC-009", patches=(Credentials, "_token"))
def token_file_read_once(original: Callable[[Credentials], str], credentials: Credentials) -> str:
    """A token file is read once in a process: later factories show what it held then."""
    return _tokens.setdefault(credentials.params, original(credentials))


@wrong("JMS-SEC-002")
def user_without_a_password_is_nobody() -> AbstractContextManager[object]:
    """A user name without a password is no login: what the factory has of its own gets in."""
    return patch.object(Login, "is_given", property(lambda login: bool(login.password)))


@wrong("SLJ-SEC-004", patches=(client_opening, "_credentials"))
def login_without_the_flag(
    original: Callable[..., Credentials], configured: Settings, login: Login
) -> Credentials:
    """User name and password reach the broker whether the flag is set or not."""
    return original(replace(configured, values={**configured.values, LOGIN_FLAG: True}), login)


@wrong("SLJ-SEC-006", patches=(client_opening, "login_params"))
def bare_token_accepted(plugin: str, login: Login) -> str:
    """A password is a token also without the word token and the colon."""
    return TOKEN + (login.password or "").removeprefix(TOKEN)


@wrong("SLJ-SEC-005", patches=(client_opening, "login_params"))
def user_name_asked_for(plugin: str, login: Login) -> str:
    """A token without a user name is refused."""
    if not login.user_name:
        raise JMSSecurityException("There is no user name")
    return login_params(plugin, login)


@wrong("SLJ-SEC-007", patches=(factory, "check_repeated"))
def later_login_ignored(first: Any, login: Any) -> None:
    """Later connections of a factory may come with any user name and password."""


def _all_closed(pulsar_factory: PulsarConnectionFactory) -> None:
    _close(pulsar_factory)
    for client in _older.pop(id(pulsar_factory), []):
        client.close()


def _opened_anew(pulsar_factory: PulsarConnectionFactory, login: Login) -> Settings:
    if pulsar_factory._client is not None:
        _older.setdefault(id(pulsar_factory), []).append(pulsar_factory._client)
        pulsar_factory._client = None
    return _open_client(pulsar_factory, login)


@wrong("SLJ-SEC-008")
def client_for_each_connection() -> AbstractContextManager[object]:
    """Every connection has a client of the broker of its own."""
    return patch.multiple(PulsarConnectionFactory, _open_client=_opened_anew, close=_all_closed)


def _opened_beside(pulsar_factory: PulsarConnectionFactory, login: Login) -> Settings:
    first = pulsar_factory._client
    configured = _opened_anew(pulsar_factory, login)
    if first is not None and pulsar_factory._client is not None:
        _older[id(pulsar_factory)][-1], pulsar_factory._client = pulsar_factory._client, first
    return configured


@wrong("SLJ-SEC-008")
def client_beside_the_first() -> AbstractContextManager[object]:
    """Every connection opens a client of the broker of its own, and does its work by the first."""
    return patch.multiple(PulsarConnectionFactory, _open_client=_opened_beside, close=_all_closed)


@wrong("JMS-SEC-003", patches=(PulsarMessageProducer, "send"))
def forbidden_sends_dropped(
    original: Callable[..., None], producer: PulsarMessageProducer, *args: Any, **options: Any
) -> None:
    """What its user may not send a producer drops without a word."""
    with suppress(JMSSecurityException):
        original(producer, *args, **options)


@wrong("SLJ-SEC-002", "SLJ-SEC-004", "JMS-SEC-002", patches=(client_opening, "check_reachable"))
def refused_without_a_reason(configured: Settings, credentials: Credentials) -> None:
    """Credentials that the broker refuses are a JMSException like any other."""
    try:
        check_reachable(configured, credentials)
    except JMSSecurityException as refusal:
        raise JMSException(refusal.reason) from refusal
