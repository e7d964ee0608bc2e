"""The Java that a client is judged on, where a run was asked for one."""

from __future__ import annotations

from jms_clients.interface import Provider
from jms_clients.readiness import java_range, program
from jvm_runtime import in_process, javas, progress
from jvm_runtime.jvm_errors import JavaError
from touchstone.errors import UsageError


def choose_java(provider: Provider, release: int | None, *, offline: bool = False) -> None:
    """Have the client run on the release that was asked for, here and in child processes.

    `UsageError` where it cannot, or there is no such Java; `FetchError` where that cannot be
    fetched. Without one each client runs on the newest that its vendor supports.
    """
    if release is None:
        javas.choose(None)
        return
    if not program(provider):
        raise UsageError(
            f"--java {release}: {provider.name} does not run on Java",
            hint="Leave --java out, or name a client in Java.",
        )
    oldest = java_range(provider).oldest
    if release < oldest:
        raise UsageError(
            f"{provider.name} {provider.version} does not run on Java {release}",
            hint=f"It needs Java {oldest} or newer.",
        )
    try:
        java = javas.of_release(release, offline=offline, progress=progress.on_stderr)
        in_process.library(java)
    except JavaError as error:
        raise UsageError(error.message, hint=error.hint) from error
    javas.choose(java)
