"""Secrets of one broker: a token key and tokens by role, passwords, a certificate.

Made anew for every broker, kept in its folder, readable by its owner only; no text shows them.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.profiles import ADMIN, ROLES
from jms_brokers.machine.secrecy import learn

_HOSTS = ("localhost", "127.0.0.1")


def make_tokens(folder: Path, roles: Iterable[str]) -> dict[str, str]:
    """Write `token.key` into `folder` and return a token for each role."""
    import jwt  # which takes longer to import than a listing has time

    key = secrets.token_bytes(32)
    write(folder / "token.key", key)
    tokens = {role: jwt.encode({"sub": role}, key, algorithm="HS256") for role in roles}
    learn(*tokens.values())
    return tokens


def make_passwords(roles: Iterable[str]) -> dict[str, str]:
    """Return a password for each role."""
    return {role: make_password() for role in roles}


def make_password() -> str:
    """Return a password that nobody else has."""
    password = secrets.token_hex(16)
    learn(password)
    return password


def with_accounts(address: BrokerAddress) -> BrokerAddress:
    """Return `address` with a password for each role, by which its user logs in, and as ADMIN."""
    return replace(address, role_tokens=make_passwords(ROLES), users_log_in=True).as_role(ADMIN)


def make_certificate(folder: Path) -> Path:
    """Write `certificate.pem`, `key.pem` and `authority.pem` for this machine's loopback names;
    returns the path of the last one, which clients have to trust.
    """
    import trustme
    from cryptography.hazmat.primitives import serialization

    authority = trustme.CA()
    issued = authority.issue_cert(*_HOSTS)
    # Brokers in Java read PKCS#8 only; trustme writes the older form.
    key = serialization.load_pem_private_key(issued.private_key_pem.bytes(), None)
    write(
        folder / "key.pem",
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )
    write(folder / "certificate.pem", b"".join(pem.bytes() for pem in issued.cert_chain_pems))
    write(folder / "authority.pem", authority.cert_pem.bytes())
    return folder / "authority.pem"


def write(file: Path, content: bytes) -> None:
    """Write a file that its owner alone may read, and its folder."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        stream.write(content)
