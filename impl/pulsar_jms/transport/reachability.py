"""Whether the broker can be reached and trusted, found out before the native client would wait."""

from __future__ import annotations

import socket
import ssl
from urllib.parse import urlsplit

from jmsapi import JMSException, JMSSecurityException
from pulsar_jms.configuration import Settings
from pulsar_jms.transport.credentials import Credentials
from pulsar_jms.transport.handshake import NoBrokerError, RefusedError, greet

_PORTS = {"pulsar": 6650, "pulsar+ssl": 6651, "http": 8080, "https": 8443}
_WITH_TLS = ("pulsar+ssl", "https")
_BINARY = ("pulsar", "pulsar+ssl")


def check_reachable(configured: Settings, credentials: Credentials) -> None:
    """Greet the broker, since the native client would only time out.

    Raises `JMSException` when none of the addresses answers within connectionTimeoutMs, and
    `JMSSecurityException` when one does not accept the credentials or has a certificate that is
    not trusted.
    """
    url = configured.service_url
    scheme, separator, addresses = url.partition("://")
    if not separator or scheme not in _PORTS or not addresses:
        raise JMSException(
            f"brokerServiceUrl is {url!r}; it must begin with pulsar:// or pulsar+ssl:// and name "
            "a host"
        )
    timeout = configured.number("connectionTimeoutMs", 10_000) / 1000
    context = credentials.tls_context() if scheme in _WITH_TLS else None
    greeting = credentials.greeting() if scheme in _BINARY else None
    reasons = []
    for address in addresses.split(","):
        try:
            parts = urlsplit(f"//{address}")
            host, port = parts.hostname or "", parts.port or _PORTS[scheme]
            with _connect(host, port, timeout, context) as connection:
                if greeting is not None:
                    greet(connection, *greeting)
        except ssl.SSLError as error:
            raise JMSSecurityException(
                f"The broker at {address} is not trusted or speaks no TLS ({error}); check "
                "brokerServiceUrl and tlsTrustCertsFilePath"
            ) from error
        except RefusedError as error:
            raise JMSSecurityException(
                f"The broker at {address} does not accept the credentials: "
                f"{credentials.hidden_in(str(error))}; check authPlugin and authParams"
            ) from error
        except (OSError, ValueError, NoBrokerError) as error:
            reasons.append(f"{address}: {error}")
        else:
            return
    raise JMSException(
        f"Cannot reach the broker at {url} ({'; '.join(reasons)}); check that it runs and that "
        "brokerServiceUrl is right"
    )


def _connect(host: str, port: int, timeout: float, context: ssl.SSLContext | None) -> socket.socket:
    connection = socket.create_connection((host, port), timeout)
    if context is None:
        return connection
    try:
        return context.wrap_socket(connection, server_hostname=host)
    except BaseException:
        connection.close()
        raise
