"""The simplified API throws the unchecked twin of every JMS exception."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from jmsapi import JMSException, runtime_exception
from pulsar_jms.implements import implements

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@implements("JMS-CTX-015")
def unchecked(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Make `function` raise `JMSRuntimeException` and its kinds instead of `JMSException`."""

    @wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return function(*args, **kwargs)
        except JMSException as error:
            raise runtime_exception(error) from error

    return call
