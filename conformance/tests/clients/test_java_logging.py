"""What Java logs appears in Python's logging."""

from __future__ import annotations

import logging

import jpype
import pytest

from jms_clients.java import logging as java_logging
from jvm_runtime import in_process


def test_warnings_and_errors_are_handed_over_once_each(caplog: pytest.LogCaptureFixture) -> None:
    in_process.start("pulsar-client")
    java_logging.hand_over()
    java_logging.hand_over()
    logger = jpype.JClass("java.util.logging.Logger").getLogger("org.example.client")
    levels = jpype.JClass("java.util.logging.Level")

    with caplog.at_level(logging.DEBUG):
        logger.info("not told")
        logger.warning("a warning with %s and {0}")
        logger.log(levels.SEVERE, "an error", jpype.JClass("java.io.IOException")("why"))

    assert [(record.name, record.levelno, record.getMessage()) for record in caplog.records] == [
        ("org.example.client", logging.WARNING, "a warning with %s and {0}"),
        ("org.example.client", logging.ERROR, "an error: java.io.IOException: why"),
    ]


def test_what_led_to_an_exception_is_told_too(caplog: pytest.LogCaptureFixture) -> None:
    in_process.start("pulsar-client")
    java_logging.hand_over()
    levels = jpype.JClass("java.util.logging.Level")
    cause = jpype.JClass("java.lang.IllegalStateException")("the listener failed")
    wrapped = jpype.JClass("java.io.IOException")("delivery failed", cause)

    jpype.JClass("java.util.logging.Logger").getLogger("org.example.client").log(
        levels.SEVERE, "an error", wrapped
    )

    assert [record.getMessage() for record in caplog.records] == [
        "an error: java.io.IOException: delivery failed"
        ": java.lang.IllegalStateException: the listener failed"
    ]
