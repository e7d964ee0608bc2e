"""The folder of one reproducer: the program, how it is built, and what to tell the vendor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from jms_brokers.machine.secrecy import hide_secrets
from jvm_runtime.locks import Jar
from touchstone.reproducing.java_program import NAME, JavaProgram
from touchstone.reproducing.java_values import comment_text

SOURCE = f"{NAME}.java"
ISSUE = "ISSUE.md"
POM = "pom.xml"
_RELEASE = 17
_PLUGINS = {
    "org.apache.maven.plugins:maven-compiler-plugin": "3.13.0",
    "org.codehaus.mojo:exec-maven-plugin": "3.5.0",
}


@dataclass(frozen=True)
class ReproducedVerdict:
    """What is told of one verdict."""

    client: str
    """With its version."""
    requirement: str
    scenario: str
    statement: str
    sources: Sequence[str]
    expected: str
    seen: str
    broker: str
    profile: str
    rerun: str

    @property
    def about(self) -> list[str]:
        """The lines at the head of the program."""
        return [
            f"{self.requirement} with {self.client}: {comment_text(self.statement)}",
            f"Sources: {comment_text('; '.join(self.sources))}.",
            f"Expected: {comment_text(self.expected)}",
            f"Seen: {comment_text(self.seen)}",
        ]


def write(
    folder: Path, finding: ReproducedVerdict, program: JavaProgram, jars: Sequence[Jar]
) -> None:
    """Write the folder anew."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SOURCE).write_text(hide_secrets(program.text), encoding="utf-8")
    (folder / POM).write_text(pom(jars), encoding="utf-8")
    (folder / ISSUE).write_text(
        hide_secrets(issue(finding, jars, program.arguments)), encoding="utf-8"
    )


def issue(finding: ReproducedVerdict, jars: Sequence[Jar], arguments: str) -> str:
    """What to paste; `arguments` are those of the program, by name."""
    own = ", ".join(
        f"`{jar.coordinates}`" for jar in jars if jar.inside or jar.group in _client_groups(jars)
    )
    return "\n".join(
        [
            f"# {finding.client}: {finding.requirement}",
            "",
            finding.statement,
            "",
            *(f"- {source}" for source in finding.sources),
            "",
            f"**Expected:** {finding.expected}",
            "",
            f"**Seen:** {finding.seen}",
            "",
            "## The program",
            "",
            f"`{SOURCE}` is plain JMS; it names the client only to make the ConnectionFactory.",
            "The factory's settings are in the program. It prints what each call gives, and ends",
            "with `SEEN` (status 0) where it shows what is above, else with `NOT SEEN` (status 1);",
            "with status 2 where no broker answers.",
            "",
            "```sh",
            f'mvn -q compile exec:java -Dexec.args="{arguments}"   # Java {_RELEASE} or newer',
            "```",
            "",
            f"The broker: {finding.broker}, {finding.profile}. Where it wants a password, that is",
            "read from the variable BROKER_PASSWORD.",
            "`touchstone reproduce` with `--confirm` starts such a broker and runs it there.",
            "",
            f"The jars, exactly, are in `{POM}`{f'; of the client: {own}' if own else ''}.",
            "",
            f"It repeats the calls of the scenario `{finding.scenario}`:",
            f"`{finding.rerun}`.",
            "",
        ]
    )


def pom(jars: Sequence[Jar]) -> str:
    """A project of the program and exactly these jars."""
    return "\n".join(
        [
            '<project xmlns="http://maven.apache.org/POM/4.0.0">',
            "  <modelVersion>4.0.0</modelVersion>",
            "  <groupId>reproducer</groupId>",
            "  <artifactId>reproducer</artifactId>",
            "  <version>1</version>",
            "  <properties>",
            f"    <maven.compiler.release>{_RELEASE}</maven.compiler.release>",
            "    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>",
            f"    <exec.mainClass>{NAME}</exec.mainClass>",
            "  </properties>",
            "  <dependencies>",
            *(line for jar in jars if not jar.inside for line in _dependency(jar)),
            "  </dependencies>",
            "  <build>",
            "    <sourceDirectory>${project.basedir}</sourceDirectory>",
            "    <plugins>",
            *(
                f"      <plugin><groupId>{name.partition(':')[0]}</groupId>"
                f"<artifactId>{name.partition(':')[2]}</artifactId>"
                f"<version>{version}</version></plugin>"
                for name, version in _PLUGINS.items()
            ),
            "    </plugins>",
            "  </build>",
            "</project>",
            "",
        ]
    )


def _dependency(jar: Jar) -> list[str]:
    parts = {
        "groupId": jar.group,
        "artifactId": jar.artifact,
        "version": jar.version,
        "classifier": jar.classifier,
    }
    lines = [f"      <{name}>{escape(text)}</{name}>" for name, text in parts.items() if text]
    return [
        "    <dependency>",
        *lines,
        "      <exclusions>",
        "        <exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>",
        "      </exclusions>",
        "    </dependency>",
    ]


def _client_groups(jars: Sequence[Jar]) -> set[str]:
    """The groups of jars whose names say that they are a client of JMS."""
    return {jar.group for jar in jars if "jms" in jar.artifact and not jar.artifact.endswith("api")}
