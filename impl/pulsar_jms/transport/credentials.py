"""What a client shows to prove who it is, for the binary protocol and for the administration."""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulsar

from jmsapi import JMSException


@dataclass(frozen=True)
class Credentials:
    """Authentication and TLS of a client; nothing secret is in its representation."""

    plugin: str = ""
    """Java class name of Pulsar's authentication plug-in; only the last part counts."""
    params: str = field(default="", repr=False)
    trust_certificate: str = ""
    """Path of a PEM file with the certificates to trust; empty for the usual authorities."""
    allow_insecure: bool = False
    verify_host_name: bool = True

    @property
    def kind(self) -> str:
        """The plug-in's simple name, such as `AuthenticationToken`; empty for none."""
        return self.plugin.rpartition(".")[2]

    def native(self) -> Any:
        """The authentication object of pulsar-client; `JMSException` for an unknown plug-in."""
        match self.kind:
            case "" | "AuthenticationDisabled":
                return None
            case "AuthenticationToken":
                return pulsar.AuthenticationToken(self._token_source())
            case "AuthenticationTls":
                return pulsar.AuthenticationTLS(*self._certificate())
            case "AuthenticationBasic":
                return pulsar.AuthenticationBasic(*self._user())
            case "AuthenticationOAuth2":
                return pulsar.AuthenticationOauth2(self.params)
        raise self.unknown()

    def texts(self) -> tuple[str, ...]:
        """What the plug-in shows: the token; paths of certificate and key; user and password."""
        match self.kind:
            case "AuthenticationToken":
                return (self._token(),)
            case "AuthenticationTls":
                return self._certificate()
            case "AuthenticationBasic":
                return self._user()
            case "AuthenticationOAuth2":
                return (self.params,)
        return ()

    def unknown(self) -> JMSException:
        """Why a plug-in that is none of the four is refused."""
        return JMSException(
            f"authPlugin={self.plugin!r} is not known here: AuthenticationToken, "
            "AuthenticationTls, AuthenticationBasic and AuthenticationOAuth2 are"
        )

    def greeting(self) -> tuple[str, bytes] | None:
        """The authentication method of the binary protocol and its data; None if not known here."""
        match self.kind:
            case "" | "AuthenticationDisabled":
                return "none", b""
            case "AuthenticationToken":
                return "token", self._token().encode()
            case "AuthenticationTls":
                return "tls", b""
            case "AuthenticationBasic":
                return "basic", ":".join(self._user()).encode()
        return None

    def hidden_in(self, text: str) -> str:
        """`text` without what is secret here."""
        secrets = [self.params]
        if self.kind == "AuthenticationToken":
            secrets.append(self._token())
        for secret in filter(None, secrets):
            text = text.replace(secret, "(not shown)")
        return text

    def http_headers(self) -> dict[str, str]:
        """The headers that show the credentials to the administration."""
        match self.kind:
            case "AuthenticationToken":
                return {"Authorization": f"Bearer {self._token()}"}
            case "AuthenticationBasic":
                user = base64.b64encode(":".join(self._user()).encode()).decode()
                return {"Authorization": f"Basic {user}"}
        return {}

    def http_certificate(self) -> tuple[str, str] | None:
        """The client certificate and its key, as paths, where TLS is the authentication."""
        return self._certificate() if self.kind == "AuthenticationTls" else None

    def tls_context(self) -> ssl.SSLContext:
        """Whom to trust, and the client certificate; `JMSException` for a file that is no PEM."""
        try:
            context = ssl.create_default_context(cafile=self.trust_certificate or None)
        except OSError as error:
            raise JMSException(
                f"tlsTrustCertsFilePath is {self.trust_certificate!r}; it must name a readable "
                f"PEM file with certificates ({error})"
            ) from error
        if not self.verify_host_name or self.allow_insecure:
            context.check_hostname = False
        if self.allow_insecure:
            context.verify_mode = ssl.CERT_NONE
        if certificate := self.http_certificate():
            context.load_cert_chain(*certificate)
        return context

    def _token_source(self) -> str | Callable[[], str]:
        """The token; of a file its content, looked at whenever the broker asks.

        The client's threads call it, and could not bear an exception.
        """
        if not self.params.startswith("file:"):
            return self._token()
        last = self._token()

        def read() -> str:
            nonlocal last
            with suppress(JMSException):
                last = self._token()
            return last

        return read

    def _token(self) -> str:
        if self.params.startswith("file:"):
            path = Path(self.params.removeprefix("file:").replace("//", "/"))
            try:
                return path.read_text(encoding="utf-8").strip()
            except OSError as error:
                raise JMSException(
                    f"authParams names a token file that cannot be read: {error}"
                ) from error
        return self.params.removeprefix("token:")

    def _certificate(self) -> tuple[str, str]:
        parts = self._fields(separator=",")
        return self._part(parts, "tlsCertFile"), self._part(parts, "tlsKeyFile")

    def _user(self) -> tuple[str, str]:
        if not self.params.lstrip().startswith("{"):
            user, _, password = self.params.partition(":")
            return user, password
        parts = self._fields(separator=",")
        return self._part(parts, "userId"), self._part(parts, "password")

    def _fields(self, separator: str) -> dict[str, Any]:
        if self.params.lstrip().startswith("{"):
            try:
                return dict(json.loads(self.params))
            except ValueError as error:
                raise JMSException(f"authParams of {self.kind} is not valid JSON") from error
        return dict(part.split(":", 1) for part in self.params.split(separator) if ":" in part)

    def _part(self, parts: dict[str, Any], name: str) -> str:
        try:
            return str(parts[name])
        except KeyError as error:
            raise JMSException(f"authParams of {self.kind} lacks {name}") from error
