"""Whom clients of a broker's HTTP interface trust: by the scheme, and by what the address names."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
import trustme

from jms_brokers.brokers.http_trust import trusted_authority
from jms_brokers.brokers.interface import BrokerAddress, Way


def address(url: str, way: Way = "embedded", certificate: str | None = None) -> BrokerAddress:
    return BrokerAddress("echo://127.0.0.1:7", url, "plain", way, "", "echo",
                         trust_certificate=certificate)  # fmt: skip


@pytest.mark.parametrize("way", ["embedded", "container"])
def test_without_tls_nobody_is_trusted(way: Way) -> None:
    nobody = trusted_authority(address("http://127.0.0.1:8080", way))

    assert isinstance(nobody, ssl.SSLContext)
    assert nobody.get_ca_certs() == []
    assert nobody.verify_mode == ssl.CERT_REQUIRED
    assert nobody.check_hostname


@pytest.mark.parametrize(
    ("url", "way"),
    [("http://broker.example:8080", "external"), ("https://127.0.0.1:8443", "embedded")],
)
def test_a_proxy_and_a_broker_of_unknown_authority_have_to_convince_the_system(
    url: str, way: Way
) -> None:
    assert trusted_authority(address(url, way)) is True


def test_the_authority_that_is_named_is_the_only_one(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(str(file))

    named = trusted_authority(address("https://127.0.0.1:8443", certificate=str(file)))

    assert isinstance(named, ssl.SSLContext)
    assert len(named.get_ca_certs()) == 1
