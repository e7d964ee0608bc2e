"""Whether a provider in Java can run here: the bridge to Java, and its jars."""

from __future__ import annotations

from jvm_runtime import fetch, in_process, locks, progress
from jvm_runtime.errors import JvmRuntimeError
from touchstone.errors import ProviderError


def prepare(name: str, program: str) -> None:
    """Have what the provider `name` needs, with the jars of the lock `program`; fetch the missing.

    `ProviderError` says what is lacking and what to do.
    """
    if not in_process.has_bridge():
        raise ProviderError(
            f"The provider {name} needs JPype, which is not installed",
            hint="pip install 'jms-touchstone[java]'",
        )
    try:
        fetch.fetch(locks.load(program), progress=progress.on_stderr)
    except JvmRuntimeError as error:
        raise ProviderError(error.message, hint=error.hint) from error


def start(name: str, program: str) -> None:
    """Have a JVM run in this process with the jars of `program`; `ProviderError` without one."""
    try:
        in_process.start(program)
    except JvmRuntimeError as error:
        raise ProviderError(
            f"The provider {name} cannot run here: {error.message}", hint=error.hint
        ) from error
