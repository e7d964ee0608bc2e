"""Whom a client of a broker's HTTP interface trusts."""

from __future__ import annotations

import ssl

from jms_brokers.brokers.interface import BrokerAddress


def trusted_authority(address: BrokerAddress) -> ssl.SSLContext | bool:
    """What `httpx` takes as `verify`: the authority that is named, else those of the system.

    Reading those takes longer than all that is asked of most brokers. Without TLS nobody has to
    be trusted, and nobody is: but for a foreign broker there may be a proxy on the way.
    """
    if not address.admin_url.startswith("https"):
        return address.way == "external" or ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if address.trust_certificate is not None:
        return ssl.create_default_context(cafile=address.trust_certificate)
    return True
