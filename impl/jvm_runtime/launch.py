"""Starts Java as a child process that never outlives the process it belongs to, unless asked to."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from jvm_runtime import child
from jvm_runtime.jre import Jre
from jvm_runtime.jvm_errors import JavaError

_CHANGES_THE_JVM = frozenset(
    {"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH"}
)


@dataclass(frozen=True)
class JavaCommand:
    """A Java program: the runtime, JVM options, class path, main class and its arguments."""

    jre: Jre
    options: tuple[str, ...]
    class_path: tuple[Path, ...]
    main: str
    arguments: tuple[str, ...] = ()

    def with_options(self, *options: str) -> JavaCommand:
        """Return this command with further JVM options."""
        return replace(self, options=(*self.options, *options))

    @property
    def line(self) -> tuple[str, ...]:
        """The command as a list of words."""
        jars = os.pathsep.join(map(str, self.class_path))
        return (str(self.jre.java), *self.options, "-cp", jars, self.main, *self.arguments)


def spawn(
    command: JavaCommand, *, folder: Path, log: Path, outlives_us: bool = False
) -> subprocess.Popen[bytes]:
    """Start `command` in `folder` with its output appended to `log`; raises JavaError.

    The child has its own session, so that Ctrl-C reaches us alone, and dies with this process
    unless it `outlives_us`.
    """
    try:
        return child.spawn(
            command.line,
            folder=folder,
            log=log,
            environment=clean_environment(os.environ),
            outlives_us=outlives_us,
        )
    except OSError as error:
        raise JavaError(
            f"{command.main} could not be started ({error})",
            hint="Look at the disk and the limits on processes and memory of this user",
        ) from error


def temporary_files_in(folder: Path) -> tuple[str, ...]:
    """Return the options by which a JVM leaves nothing outside of `folder`, even when killed.

    Native libraries are unpacked in its temporary folder, by default the machine's (it does not
    look at TMPDIR), and its counters for jps and jstat are written there whatever is set.
    """
    return f"-Djava.io.tmpdir={folder}", "-XX:-UsePerfData"


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return `environment` without the variables that would change a JVM behind our back."""
    return {name: value for name, value in environment.items() if name not in _CHANGES_THE_JVM}
