"""The folder of one reproducer: the program, how it is built, and what to tell the vendor."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from jms_brokers.machine.secrecy import hide_secrets
from jvm_runtime.locks import Jar
from touchstone.reproducing.issue import ReproducedVerdict, issue
from touchstone.reproducing.java_program import NAME, JavaProgram

SOURCE = f"{NAME}.java"
ISSUE = "ISSUE.md"
POM = "pom.xml"
OUTPUT = "OUTPUT.txt"
_LAST = 20
"""Lines of the output that an issue shows."""
_PLUGINS = {
    "org.apache.maven.plugins:maven-compiler-plugin": "3.13.0",
    "org.codehaus.mojo:exec-maven-plugin": "3.5.0",
}


def write(
    folder: Path, finding: ReproducedVerdict, program: JavaProgram, jars: Sequence[Jar]
) -> None:
    """Write the folder anew."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SOURCE).write_text(hide_secrets(program.text), encoding="utf-8")
    (folder / POM).write_text(pom(jars, finding), encoding="utf-8")
    text = issue(finding, jars, program.arguments, program.decides)
    (folder / ISSUE).write_text(hide_secrets(text), encoding="utf-8")


def add_output(folder: Path, printed: str, control: str = "") -> None:
    """Add what the program printed when it was run here: all of it, and its end for the issue.

    `control` is another client, with its version, of which the same calls do not show it.
    """
    (folder / OUTPUT).write_text(printed, encoding="utf-8")
    lines = printed.strip().splitlines()
    left_out = [f"({len(lines) - _LAST} lines before, in {OUTPUT})"] * (len(lines) > _LAST)
    end = "\n".join([*left_out, *lines[-_LAST:]])
    with (folder / ISSUE).open("a", encoding="utf-8") as text:
        text.write(f"\n## What it printed\n\n```\n{end}\n```\n")
        if control:
            text.write(
                f"\nThe same program, made with the ConnectionFactory of {control} and run"
                " on a broker of its own, ends with `NOT SEEN`.\n"
            )


def program_in(folder: Path) -> str:
    """The program without its head, which says what is known of it."""
    text = (folder / SOURCE).read_text(encoding="utf-8")
    return text[text.index(f"public class {NAME}") :]


def pom(jars: Sequence[Jar], finding: ReproducedVerdict) -> str:
    """A project of the program and exactly these jars."""
    return "\n".join(
        [
            *([f"<!-- Seen with Java {finding.java}. -->"] if finding.java else []),
            '<project xmlns="http://maven.apache.org/POM/4.0.0">',
            "  <modelVersion>4.0.0</modelVersion>",
            "  <groupId>reproducer</groupId>",
            "  <artifactId>reproducer</artifactId>",
            "  <version>1</version>",
            "  <properties>",
            f"    <maven.compiler.release>{finding.oldest_java}</maven.compiler.release>",
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
