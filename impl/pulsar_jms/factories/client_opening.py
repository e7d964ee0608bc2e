"""From a configuration and a login to a client of the broker."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

from jmsapi import JMSException, JMSSecurityException
from pulsar_jms.broker_client import BrokerClient
from pulsar_jms.configuration import Settings
from pulsar_jms.factories.open_factories import close_before_java
from pulsar_jms.implements import implements
from pulsar_jms.mapping.security import LOGIN_FLAG, TOKEN_PLUGIN, Login, login_params
from pulsar_jms.threads import FailureHandler
from pulsar_jms.transport.admin_rest import AdminRest
from pulsar_jms.transport.administration import Administration
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.java_client.java_transport import JavaPulsarTransport
from pulsar_jms.transport.pulsar_client.pulsar_transport import PulsarClientTransport
from pulsar_jms.transport.reachability import check_reachable
from pulsar_jms.transport.transport_protocol import Transport

TransportMaker = Callable[[Settings, Credentials, Administration | None], Transport]


def configuration_of(given: Mapping[str, object] | str) -> Mapping[str, object]:
    """The configuration, read where it is JSON text; `JMSException` where it is no mapping."""
    configuration: object = given
    if isinstance(given, str):
        try:
            configuration = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise JMSException(f"The configuration is not valid JSON: {error}") from error
    if not isinstance(configuration, Mapping):
        raise JMSException(
            f"The configuration is a {type(configuration).__name__}; a mapping of keys is needed"
        )
    return configuration


@implements("JMS-SEC-002")
def check_user(configured: Settings, login: Login) -> None:
    """`JMSSecurityException` for another user than the one that the configuration names, if any."""
    expected = configured.text("jms.tckUsername", "")
    if expected and login.user_name is not None:
        wanted = (expected, configured.text("jms.tckPassword", ""))
        if (login.user_name, login.password) != wanted:
            raise JMSSecurityException(
                f"The user {login.user_name!r} or the password is not accepted"
            )


def open_client(
    configured: Settings, login: Login, make_transport: TransportMaker, on_failure: FailureHandler
) -> BrokerClient:
    """A client of the broker, which has answered; `on_failure` as that of `BrokerClient`.

    `JMSException` when it does not, `JMSSecurityException` when it does not accept the credentials.
    """
    credentials = _credentials(configured, login)
    check_reachable(configured, credentials)
    administration = None
    if configured.flag("jms.usePulsarAdmin", True):
        administration = AdminRest(
            configured.web_url,
            credentials,
            request_timeout=configured.number("operationTimeoutMs", 30_000) / 1000,
            startup_timeout=configured.number("jms.waitForServerStartupTimeout", 60_000) / 1000,
        )
    try:
        if administration is not None:
            administration.check_access(configured.namespace)
        transport = make_transport(configured, credentials, administration)
    except JMSException:
        if administration is not None:
            administration.close()
        raise
    return BrokerClient(configured, credentials, transport, administration, on_failure)


def _native(
    configured: Settings, credentials: Credentials, administration: Administration | None
) -> Transport:
    if configured.flag("consumerConfig.ackReceiptEnabled", False):
        raise JMSException(
            "Configuration key 'consumerConfig.ackReceiptEnabled' = True is not supported: "
            "pulsar-client does not ask for receipts of acknowledgements; the java transport does"
        )
    return PulsarClientTransport(configured, credentials, administration)


def _java(
    configured: Settings, credentials: Credentials, administration: Administration | None
) -> Transport:
    transport = JavaPulsarTransport(configured, credentials, administration)
    close_before_java()
    return transport


TRANSPORTS: Final[Mapping[str, TransportMaker]] = {"native": _native, "java": _java}
"""What makes each transport, by its name."""


@implements("JMS-SEC-001", "SLJ-SEC-004", "SLJ-SEC-009")
def _credentials(configured: Settings, login: Login) -> Credentials:
    """What the broker is shown: the factory's own, or those of the login where a flag says so."""
    plugin, params = configured.text("authPlugin", ""), configured.text("authParams", "")
    if configured.flag(LOGIN_FLAG, False) and login.is_given:
        plugin, params = TOKEN_PLUGIN, login_params(plugin, login)
    return Credentials(
        plugin,
        params,
        configured.text("tlsTrustCertsFilePath", ""),
        configured.flag("tlsAllowInsecureConnection", False),
        configured.flag("tlsEnableHostnameVerification", True),
    )
