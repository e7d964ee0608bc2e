"""What a maintainer is told: in the words of who looked, with whose fault it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jvm_runtime.locks import Jar
from touchstone.reproducing.folder import add_output, pom
from touchstone.reproducing.issue import ReproducedVerdict, issue, title

VERDICT = ReproducedVerdict(
    client="Qpid JMS 2.10.0",
    requirement="JMS-PROP-033",
    scenario="properties/test_object_property_is_of_the_eight_types",
    statement="setObjectProperty() takes the eight types alone.",
    sources=["Jakarta Messaging, 3.5.5 Property values"],
    expected="[]",
    seen="['char']",
    broker="Artemis 2.55.0",
    profile="profile plain",
    java="25.0.2",
    rerun="touchstone run --provider qpid",
    reason="JmsMessagePropertySupport.checkValidObject allows a Character, too; no test has one.",
    link="https://example.org/QPIDJMS-1",
)


def issue_text(verdict: ReproducedVerdict) -> str:
    jars: list[Jar] = []
    return issue(verdict, jars, "HOST PORT")


def test_the_title_says_what_the_client_does() -> None:
    assert title(VERDICT) == (
        "Qpid JMS 2.10.0: JmsMessagePropertySupport.checkValidObject allows a Character, too"
    )


@pytest.mark.parametrize(
    ("fault", "accused"),
    [
        ("broker", "Artemis 2.55.0"),
        ("java", "Java 25.0.2"),
        ("document", "Qpid JMS 2.10.0"),
        ("settings", "Qpid JMS 2.10.0"),
    ],
)
def test_the_title_names_who_is_at_fault(fault: str, accused: str) -> None:
    verdict = replace(VERDICT, fault=fault, reason="The array is not copied.")
    assert title(verdict) == f"{accused}: The array is not copied"


def test_the_program_says_whose_fault_it_is() -> None:
    kept = "With Qpid JMS 2.10.0 on Artemis 2.55.0 JMS-PROP-033 is not kept: "
    assert VERDICT.about[0] == f"{kept}{VERDICT.statement}"
    assert not any("The cause" in line for line in VERDICT.about)
    about = replace(VERDICT, fault="broker").about
    assert "The cause is not the client but the broker." in about


def test_without_an_entry_the_title_says_what_is_not_kept() -> None:
    assert title(replace(VERDICT, reason="")) == (
        "Qpid JMS 2.10.0 does not keep: setObjectProperty() takes the eight types alone"
    )


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (
            "As for a boolean: see JMS-BODY-010. The stream stands behind it.",
            "The stream stands behind it",
        ),
        (
            "An array is read as zeros from 882 on (docs/evidence/api/Items.java). Seen twice.",
            "An array is read as zeros from 882 on",
        ),
        (
            f"Closing the first context closes the connection, {'which all share ' * 9}",
            "Closing the first context closes the connection",
        ),
    ],
)
def test_a_title_is_understood_without_other_entries(reason: str, told: str) -> None:
    verdict = replace(VERDICT, reason=reason)
    assert title(verdict) == f"Qpid JMS 2.10.0: {told}"
    assert "docs/" not in issue_text(verdict)


def test_what_the_calls_do_that_decide_is_told_if_they_are_few() -> None:
    one = ["`session1.recover()` comes back"]
    assert "What shows it:\n\n- `session1.recover()` comes back\n" in issue(
        VERDICT, [], "HOST PORT", one
    )
    assert "What shows it" not in issue(VERDICT, [], "HOST PORT", one * 6)


def test_what_comes_by_chance_is_to_be_run_again() -> None:
    assert "run it up to ten times" in issue_text(replace(VERDICT, by_chance=True))
    assert "run it up to ten times" not in issue_text(VERDICT)


def test_a_long_title_ends_at_a_word() -> None:
    said = title(replace(VERDICT, reason="word " * 100))
    assert said.endswith("word …")
    assert len(said) < 145


def test_the_statement_its_place_the_reason_and_the_link_are_told() -> None:
    text = issue_text(VERDICT)
    assert "With Qpid JMS 2.10.0 on Artemis 2.55.0 and Java 25.0.2 this is not so:" in text
    assert "> setObjectProperty() takes the eight types alone." in text
    assert "- Jakarta Messaging, 3.5.5 Property values" in text
    assert VERDICT.reason in text
    assert "See https://example.org/QPIDJMS-1" in text
    assert "it saw `['char']` instead of `[]`." in text
    assert "The cause is not the client" not in text


def test_another_cause_than_the_client_is_told_first() -> None:
    text = issue_text(replace(VERDICT, fault="java"))
    cause = text.index("**The cause is not the client but Java.**")
    assert cause < text.index(VERDICT.reason)


def test_the_java_with_which_it_was_seen_is_told_and_which_the_program_needs() -> None:
    verdict = replace(VERDICT, java="21.0.8", oldest_java=21)
    text, project = issue_text(verdict), pom([], verdict)

    assert "on Artemis 2.55.0 and Java 21.0.8 this is not so" in text
    assert "# Java 21 or newer" in text
    assert "<!-- Seen with Java 21.0.8. -->" in project
    assert "<maven.compiler.release>21<" in project
    assert "Seen with" not in pom([], replace(VERDICT, java=""))


def test_the_issue_shows_the_end_of_a_long_output(tmp_path: Path) -> None:
    (tmp_path / "ISSUE.md").write_text("# One\n")
    printed = "\n".join([*map(str, range(100)), "SEEN"])
    add_output(tmp_path, printed)
    assert (tmp_path / "OUTPUT.txt").read_text() == printed
    text = (tmp_path / "ISSUE.md").read_text()
    assert "(81 lines before, in OUTPUT.txt)\n81\n" in text
    assert text.endswith("99\nSEEN\n```\n")
    add_output(tmp_path, printed, "qpid 2.10.0")
    last = (tmp_path / "ISSUE.md").read_text().splitlines()[-1]
    said = "The same program, made with the ConnectionFactory of qpid 2.10.0 and run"
    assert last == f"{said} on a broker of its own, ends with `NOT SEEN`."


def test_the_setting_that_mends_it_is_told() -> None:
    said = "With the setting `jms.strictCompliance=true` it is kept."
    assert said in issue_text(replace(VERDICT, option="jms.strictCompliance=true"))
    assert "With the setting" not in issue_text(VERDICT)


def test_settings_are_the_clients_own() -> None:
    text = issue(replace(VERDICT, fault="settings", option="a=b"), [], "HOST PORT")
    assert "It comes of the settings that the client is shipped with." in text
    assert "not the client" not in text


def test_what_is_told_to_the_project_alone_is_left_out() -> None:
    ours = "(SLJ-REDL-001, SLJ-REDL-002)", "(docs/evidence/artemis/Sends.java: 1 of 20)"
    reason = "It counts twice {}: send, receive {}.".format(*ours)
    seen = "(False, 1) at the end of: c0 = create_connection('a'); m12 = s0.hear()"
    text = issue(replace(VERDICT, reason=reason, seen=seen), [], "HOST PORT")
    assert "It counts twice: send, receive." in text
    assert "it saw `(False, 1)`" in text
    assert "create_connection" not in text


def test_what_a_text_should_mean_is_told_as_a_reading() -> None:
    reading = "This is how we read the text"
    assert reading in issue(replace(VERDICT, is_demanded=False), [], "HOST PORT")
    assert reading not in issue(VERDICT, [], "HOST PORT")
