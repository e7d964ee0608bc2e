"""Writes the lock of one version of the embedded broker: `make lock-pulsar VERSION=4.2.4`.

Maven resolves the closure of pulsar-broker with the versions that Pulsar's own build manages. What
`pulsar_broker.left-out` names is left out; jars with all of a library or all platforms in them are
replaced by smaller ones. Lines are in the order of the class path. Judge clients on the broker
before the lock is committed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from jvm_runtime.locking import lock_line
from jvm_runtime.locks import Jar

_HERE = Path(__file__).parent
_LOCKS = _HERE.parent / "impl" / "jvm_runtime" / "locks"
_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>touchstone</groupId><artifactId>broker</artifactId><version>1</version>
<dependencyManagement><dependencies><dependency>
<groupId>org.apache.pulsar</groupId><artifactId>pulsar</artifactId><version>{version}</version>
<type>pom</type><scope>import</scope>
</dependency></dependencies></dependencyManagement>
<dependencies><dependency>
<groupId>org.apache.pulsar</groupId><artifactId>pulsar-broker</artifactId><version>{version}</version>
<exclusions>{exclusions}</exclusions>
</dependency></dependencies></project>
"""
_EXCLUSION = "<exclusion><groupId>{}</groupId><artifactId>{}</artifactId></exclusion>"
_HEAD = """\
# The closure of org.apache.pulsar:pulsar-broker:{version} in the versions of Pulsar's own build,
# without what locks/pulsar_broker.left-out names. locks/pulsar_broker.py wrote it.
"""


def rules(text: str) -> list[str]:
    """The globs in the text of `pulsar_broker.left-out`."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def is_left_out(jar: Jar, globs: Sequence[str]) -> bool:
    """Whether a rule names this jar."""
    name = ":".join(filter(None, (jar.group, jar.artifact, jar.classifier)))
    return any(fnmatchcase(name, glob) for glob in globs)


def smaller_jar(jar: Jar) -> Jar:
    """What serves in its place: the core of fastutil, RocksDB for this platform alone."""
    match jar.group, jar.artifact:
        case "it.unimi.dsi", "fastutil":
            return replace(jar, artifact="fastutil-core")
        case "org.rocksdb", "rocksdbjni":
            return replace(jar, classifier="linux64")
        case _:
            return jar


def pom(version: str, globs: Sequence[str]) -> str:
    """What Maven is to resolve; rules that it can express save it the look-up."""
    pairs = [glob.split(":") for glob in globs if glob.count(":") == 1]
    plain = [pair for pair in pairs if "*" not in pair[0] and pair[1].find("*") in (-1, 0)]
    return _POM.format(
        version=version, exclusions="".join(_EXCLUSION.format(*pair) for pair in plain)
    )


def jar_at(path: Path) -> Jar:
    """The jar at `path`, which is relative to the root of a Maven repository."""
    *group, artifact, version, name = path.parts
    classifier = name.removeprefix(f"{artifact}-{version}").removesuffix(".jar").lstrip("-")
    return Jar(".".join(group), artifact, version, classifier, sha256="", size=0)


class Repository:
    """Maven with a local repository of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def closure(self, version: str, globs: Sequence[str]) -> Iterator[Jar]:
        """The jars of a broker in the order of the class path."""
        with tempfile.TemporaryDirectory() as project:
            (Path(project) / "pom.xml").write_text(pom(version, globs))
            listed = Path(project) / "classpath"
            self._maven(
                *("dependency:build-classpath", "-DincludeScope=runtime"),
                *(f"-Dmdep.outputFile={listed}", "-f", project),
            )
            for path in listed.read_text().strip().split(":"):
                yield jar_at(Path(path).relative_to(self._folder))

    def line(self, jar: Jar) -> str:
        """The line of a lock; the jar is fetched if it is not there."""
        if not (self._folder / jar.path).exists():
            wanted = ":".join((jar.group, jar.artifact, jar.version, "jar", jar.classifier))
            self._maven("dependency:get", f"-Dartifact={wanted.rstrip(':')}", "-Dtransitive=false")
        return lock_line(jar, self._folder)

    def _maven(self, *arguments: str) -> None:
        command = ["mvn", "--batch-mode", "--quiet", f"-Dmaven.repo.local={self._folder}"]
        subprocess.run([*command, *arguments], check=True)


def main(words: Sequence[str]) -> None:
    """Write the lock of the version named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="a release of Apache Pulsar, such as 4.2.4")
    parser.add_argument("--repository", type=Path, help="a local repository of Maven's to keep")
    arguments = parser.parse_args(words)
    globs = rules((_HERE / "pulsar_broker.left-out").read_text())
    with tempfile.TemporaryDirectory() as temporary:
        repository = Repository((arguments.repository or Path(temporary)).resolve())
        jars = repository.closure(arguments.version, globs)
        lines = [repository.line(smaller_jar(jar)) for jar in jars if not is_left_out(jar, globs)]
    target = _LOCKS / f"pulsar-broker-{arguments.version}-linux-x86_64.lock"
    target.write_text(_HEAD.format(version=arguments.version) + "".join(lines))
    print(f"{target}: {len(lines)} jars")


if __name__ == "__main__":
    main(sys.argv[1:])
