"""The Java of a program: the one that it is compiled for, and the one that it runs on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from jvm_runtime import javas
from jvm_runtime.jre import OLDEST, Jre, find_jre
from touchstone.errors import HarnessError


@dataclass(frozen=True)
class ProgramJava:
    """A program is compiled for the oldest release that its client runs on, and runs on the release
    of the version that the client was judged on, by default on the usual one.
    """

    oldest: int = OLDEST
    version: str = ""

    @property
    def runtime(self) -> Jre:
        """The Java that runs it; JvmRuntimeError where that cannot be had."""
        release = re.match(r"\d+", self.version)
        return javas.of_release(int(release[0])) if release else find_jre()

    @property
    def compiler(self) -> str:
        """A javac that compiles it; HarnessError where there is none."""
        for java in javas.here():
            beside = java.java.resolve().with_name("javac")
            if java.major >= self.oldest and beside.is_file():
                return str(beside)
        raise HarnessError(
            f"There is no javac of Java {self.oldest} or newer to compile the program with",
            hint=f"Install a JDK {self.oldest} or newer, or name its home folder with "
            "TOUCHSTONE_JAVA.",
        )


USUAL: Final = ProgramJava()
