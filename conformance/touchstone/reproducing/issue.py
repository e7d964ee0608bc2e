"""What to tell whoever maintains a client: the text of one issue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jvm_runtime.jre import OLDEST
from jvm_runtime.locks import Jar
from touchstone.reproducing.java_values import comment_text
from touchstone.verdicts import PROGRAM_FOLLOWS

_LONGEST_TITLE: Final = 120
_ONLY_FOR_US: Final = re.compile(r"^As |\b[A-Z]+-[A-Z]+-\d{3}\b|\bdocs/|^Seen |^In ")
"""What a sentence has that says nothing to somebody who has not read other entries."""
_OURS: Final = re.compile(
    r"\s*\((?:[^()]*\bdocs/(?:evidence|control)/[^()]*|[A-Z]+-[A-Z]+-\d{3}[^()]*)\)"
)
"""What stands in parentheses for those who have the project at hand."""
_READING: Final = "This is how we read the text, which does not demand it in as many words."
_MOST_CALLS: Final = 5
"""More calls that decide are not listed."""
_OTHERS: Final = {
    "broker": "the broker",
    "java": "Java",
    "document": "the document",
}
_SETTINGS: Final = "It comes of the settings that the client is shipped with."


@dataclass(frozen=True)
class ReproducedVerdict:
    """What is told of one verdict."""

    client: str
    """Its own name, with its version."""
    requirement: str
    scenario: str
    statement: str
    sources: Sequence[str]
    expected: str | None
    """What the scenario compared with; None where it compares nothing."""
    seen: str
    broker: str
    profile: str
    java: str
    rerun: str
    reason: str = ""
    """What is known of it: the entry of a known deviation says so."""
    link: str = ""
    fault: str = "client"
    """Whose it is, as the entry has it."""
    option: str = ""
    """The setting of the client that mends it, as NAME=VALUE."""
    is_demanded: bool = True
    """Whether the sources say so in as many words; else it is what they should mean."""
    by_chance: bool = False
    """Whether it comes in some runs alone."""
    oldest_java: int = OLDEST
    """The release of Java that the program is compiled for: the oldest that the client runs on."""

    @property
    def on_java(self) -> str:
        """The Java, if the run knew it."""
        return f" and Java {self.java}" if self.java else ""

    @property
    def accused(self) -> str:
        """Whom the reason speaks of: the client, or the broker or Java where it is theirs."""
        others = {"broker": self.broker, "java": f"Java {self.java}".rstrip()}
        return others.get(self.fault, self.client)

    @property
    def cause(self) -> list[str]:
        """The line that says that it is not the client's code."""
        if self.fault == "settings":
            return [_SETTINGS]
        other = _OTHERS.get(self.fault)
        return [f"The cause is not the client but {other}."] if other else []

    @property
    def told_reason(self) -> str:
        """The reason without what it says to us alone."""
        return _OURS.sub("", self.reason)

    @property
    def about(self) -> list[str]:
        """The lines at the head of the program."""
        known = [f"Known: {comment_text(self.told_reason)}"] if self.reason else []
        not_kept = f"{self.requirement} is not kept: {comment_text(self.statement)}"
        return [
            f"With {self.client} on {self.broker} {not_kept}",
            f"Sources: {comment_text('; '.join(self.sources))}.",
            *self.cause,
            *known,
        ]


def issue(
    verdict: ReproducedVerdict, jars: Sequence[Jar], arguments: str, decides: Sequence[str] = ()
) -> str:
    """What to paste; `arguments` are those of the program, by name.

    `decides` says what the calls do that decide, a line for each.
    """
    own = ", ".join(
        f"`{jar.coordinates}`" for jar in jars if jar.inside or jar.group in _client_groups(jars)
    )
    compared = "" if verdict.expected is None else f" instead of `{_one_line(verdict.expected)}`"
    return "\n".join(
        [
            f"# {title(verdict)}",
            "",
            f"With {verdict.client} on {verdict.broker}{verdict.on_java} this is not so:",
            "",
            f"> {verdict.statement}",
            "",
            *(f"- {source}" for source in verdict.sources),
            "",
            *([] if verdict.is_demanded else [_READING, ""]),
            *_seen(decides),
            *_known(verdict),
            "## The program",
            "",
            "`Reproducer.java` is plain JMS; it names the client only to make the",
            "ConnectionFactory, whose settings are in it. It prints what each call gives, and ends",
            "with `SEEN` (status 0) where it shows this, with `NOT SEEN` (status 1) where it does",
            "not, and with status 2 where no broker answers.",
            *(["It comes by chance: run it up to ten times."] if verdict.by_chance else []),
            "",
            "```sh",
            f'mvn -q compile exec:java -Dexec.args="{arguments}"'
            f"   # Java {verdict.oldest_java} or newer",
            "```",
            "",
            f"The broker: {verdict.broker}; {verdict.profile}. A user whom the program names",
            "may do everything; the password is read from the variable BROKER_PASSWORD.",
            f"The jars, exactly, are in `pom.xml`{f'; of the client: {own}' if own else ''}.",
            "",
            "## How it was found",
            "",
            "By Touchstone, a conformance suite for clients of JMS. Its scenario",
            f"`{verdict.scenario}` judges {verdict.requirement};",
            f"it saw `{_one_line(verdict.seen.partition(PROGRAM_FOLLOWS)[0])}`{compared}.",
            f"Again, on a broker that it starts: `{verdict.rerun}`.",
            "",
        ]
    )


def title(verdict: ReproducedVerdict) -> str:
    """What is done wrong and by whom, in the words of who looked; else what is not kept."""
    clauses = re.split(r"(?<=[a-z0-9\"')\]])[.;:](?:\s|$)", verdict.told_reason)
    telling = (each.strip().rstrip(".") for each in clauses if not _ONLY_FOR_US.search(each))
    first = next(filter(None, telling), "")
    if not first:
        return f"{verdict.accused} does not keep: {_shortened(verdict.statement.rstrip('.'))}"
    return f"{verdict.accused}: {_shortened(first[:1].upper() + first[1:])}"


def _shortened(said: str) -> str:
    """The text, or its first clauses, if these are not few words; else it ends at a word."""
    if len(said) <= _LONGEST_TITLE:
        return said
    head = said[:_LONGEST_TITLE]
    clause = max(head.rfind(mark) for mark in (", ", " (", " - "))
    return head[:clause] if clause > _LONGEST_TITLE // 3 else f"{head.rpartition(' ')[0]} …"


def _seen(decides: Sequence[str]) -> list[str]:
    """What the calls do by which it shows; nothing where they are too many to be read."""
    if not 0 < len(decides) <= _MOST_CALLS:
        return []
    return ["What shows it:", "", *(f"- {each}" for each in decides), ""]


def _known(verdict: ReproducedVerdict) -> list[str]:
    """Why it is so, and whose fault, as far as that is known."""
    lines = [line for cause in verdict.cause for line in (f"**{cause}**", "")]
    if verdict.reason:
        lines += [verdict.told_reason, ""]
    if verdict.option:
        lines += [f"With the setting `{verdict.option}` it is kept.", ""]
    if verdict.link:
        lines += [f"See {verdict.link}", ""]
    return lines


def _one_line(text: str) -> str:
    return " ".join(text.replace("`", "'").split())


def _client_groups(jars: Sequence[Jar]) -> set[str]:
    """The groups of jars whose names say that they are a client of JMS."""
    return {jar.group for jar in jars if "jms" in jar.artifact and not jar.artifact.endswith("api")}
