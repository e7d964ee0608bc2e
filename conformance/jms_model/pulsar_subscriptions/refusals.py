"""What calls raise that are refused, by whether a context refuses them."""

from __future__ import annotations

from typing import Final

from jmsapi import (
    InvalidClientIDException,
    InvalidClientIDRuntimeException,
    JMSException,
    JMSRuntimeException,
)

REFUSAL: Final = {False: JMSException, True: JMSRuntimeException}
TAKEN: Final = {False: InvalidClientIDException, True: InvalidClientIDRuntimeException}
