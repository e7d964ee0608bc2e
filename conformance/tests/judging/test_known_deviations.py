"""Known deviations are strict both ways."""

from __future__ import annotations

from typing import Any

import pytest

from touchstone.judging import repeats

pytestmark = pytest.mark.thorough

SCENARIOS = """
@requirement("TRY-ONE-001")
def test_one():
    assert "seen" == "expected"

@requirement("TRY-ONE-002")
def test_two():
    assert True
"""
ENTRY = """
[[deviation]]
provider = "memory"
requirement = "TRY-ONE-001"
scenario = "ones/test_one"
message = "assert 'seen' == 'expected'"
class = "transport-limit"
reason = "Memory has no broker."
link = "https://example.org/1"
date = 2026-01-31
"""


def changed(**values: str) -> str:
    """The entry with other values; an empty one takes the line away."""
    lines = [line for line in ENTRY.splitlines() if line.partition(" =")[0] not in values]
    return "\n".join([*lines, *(f"{key} = {value}" for key, value in values.items() if value)])


WORKLOADS = """
from touchstone.scenario.judgement import current

def workload(*steps):
    current().steps.update(steps)

@requirement("TRY-ONE-001")
def test_one():
    workload("recover")
    assert ["D05 again: 1 of 9:\\nan example"] == []

@requirement("TRY-ONE-002")
def test_two():
    workload({steps})
    assert {found} == []
"""
KNOWN_OF_WORKLOADS = changed(message='"assert [\'D05 again: *"', workloads='"recover"')


@pytest.mark.parametrize(
    ("steps", "found", "verdict"),
    [
        ("'recover', 'cut'", ["D05 again: 3 of 9:\nanother"], "DEVIATES-AS-DOCUMENTED"),
        ("'rollback'", ["D05 again: 3 of 9:\nanother"], "VIOLATES"),
        ("'recover'", ["D06 unflagged: 3 of 9:\nanother"], "VIOLATES"),
        ("'recover'", ["D05 again: 3 of 9", "D06 unflagged: 3 of 9:\nanother"], "VIOLATES"),
        ("'recover'", ["something else"], "VIOLATES"),
    ],
)
def test_a_defect_of_one_workload_is_known_of_all_that_do_what_brings_it_about(
    catalogue: Any, steps: str, found: list[str], verdict: str
) -> None:
    scenarios = WORKLOADS.format(steps=steps, found=found)
    judged = catalogue.scenarios(scenarios).deviations(KNOWN_OF_WORKLOADS).judge()
    assert judged.verdicts == {"TRY-ONE-001": "DEVIATES-AS-DOCUMENTED", "TRY-ONE-002": verdict}


def test_a_known_deviation_is_no_violation(catalogue: Any) -> None:
    judged = catalogue.scenarios(SCENARIOS).deviations(ENTRY).judge()
    line = judged.lines[0] if judged.lines[0]["requirement"] == "TRY-ONE-001" else judged.lines[1]
    assert line["verdict"] == "DEVIATES-AS-DOCUMENTED"
    deviation = dict(line["deviation"])
    assert deviation.pop("file").endswith(".toml")
    assert deviation == {
        "messages": ["assert 'seen' == 'expected'"],
        "class": "transport-limit",
        "reason": "Memory has no broker.",
        "link": "https://example.org/1",
    }
    assert line["by_chance"] is False
    assert judged.exit_status == 0


@pytest.mark.parametrize("message", ["assert 'other'*", "assert 'seen'", "'seen' == 'expected'"])
def test_another_message_is_a_violation(catalogue: Any, message: str) -> None:
    entry = changed(message=f'"{message}"')
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge()
    assert judged.verdicts["TRY-ONE-001"] == "VIOLATES"
    assert "a deviation is known, but with another message" in judged.output
    assert judged.exit_status == 1


@pytest.mark.parametrize("also", ["assert 'other'*", "assert 'seen' == 'expected'"])
def test_one_of_several_messages_is_known_and_another_is_a_violation(
    catalogue: Any, also: str
) -> None:
    entry = changed(message="\"assert 'never'\"", also=f'["{also}"]')
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge()
    known = "other" not in also
    assert judged.verdicts["TRY-ONE-001"] == ("DEVIATES-AS-DOCUMENTED" if known else "VIOLATES")
    assert (f"message: assert 'never' or {also}" in judged.output) is not known


def test_an_entry_of_several_scenarios_is_one_of_each(catalogue: Any) -> None:
    entry = changed(scenario="", scenarios='["ones/test_other", "ones/test_one"]')
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge()
    assert "ones/test_other" in judged.output
    entry = changed(scenario="", scenarios='["ones/test_one"]')
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge()
    assert judged.verdicts["TRY-ONE-001"] == "DEVIATES-AS-DOCUMENTED"


def test_an_entry_that_did_not_happen_is_stale(catalogue: Any) -> None:
    entry = changed(requirement='"TRY-ONE-002"', scenario='"ones/test_two"')
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge("--requirement", "TRY-ONE-002")
    assert judged.verdicts == {"TRY-ONE-002": "CONFORMS"}
    assert "stale deviation, it did not happen: memory.toml: TRY-ONE-002" in judged.output
    assert judged.exit_status == 1


@pytest.mark.parametrize(("patience", "stale"), [(60.0, True), (-1.0, False)])
def test_what_happens_sometimes_is_stale_after_all_tries_only(
    catalogue: Any, monkeypatch: pytest.MonkeyPatch, patience: float, stale: bool
) -> None:
    monkeypatch.setattr(repeats, "PATIENCE", patience)
    entry = changed(requirement='"TRY-ONE-002"', scenario='"ones/test_two"', occurs='"sometimes"')
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge("--requirement", "TRY-ONE-002")
    assert judged.verdicts == {"TRY-ONE-002": "CONFORMS"}
    assert judged.line["by_chance"] is True
    assert ("stale deviation" in judged.output) is stale
    assert judged.exit_status == int(stale)


@pytest.mark.parametrize(
    ("seen", "versions", "is_stale"),
    [
        ("1.2", "", True),
        ("2.0", "", False),
        ("2.0", ">=1,<2", True),
        ("1.2", ">=2", None),
    ],
)
def test_an_entry_is_stale_with_the_releases_that_it_was_seen_with(
    catalogue: Any, seen: str, versions: str, is_stale: bool | None
) -> None:
    """The client is 1.2. With another release the entry is told, and with None it says nothing."""
    provider = catalogue.pytester.path / "try_memory.py"
    provider.write_text(
        provider.read_text().replace(
            'name: str = "memory"', f'judged_releases = ("{seen}",)\n    name: str = "memory"'
        )
    )
    entry = changed(
        requirement='"TRY-ONE-002"', scenario='"ones/test_two"', version=f'"{versions}"'
    )
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge("--requirement", "TRY-ONE-002")
    named = ["memory.toml: TRY-ONE-002 in ones/test_two"]
    assert judged.run["stale"] == (named if is_stale else [])
    assert judged.run["not_shown"] == (named if is_stale is False else [])
    told = "1 entry of deviations did not show with this release"
    assert (told in judged.output) is (is_stale is False)
    assert judged.exit_status == int(bool(is_stale))


def test_what_happens_seldom_is_known_and_never_stale(catalogue: Any) -> None:
    entry = changed(occurs='"seldom"')
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge()
    assert judged.verdicts["TRY-ONE-001"] == "DEVIATES-AS-DOCUMENTED"

    right = SCENARIOS.replace('"seen" ==', '"expected" ==')
    judged = catalogue.scenarios(right).judge()
    assert judged.verdicts == {"TRY-ONE-001": "CONFORMS", "TRY-ONE-002": "CONFORMS"}
    assert "stale deviation" not in judged.output
    assert judged.exit_status == 0


def test_what_may_happen_anywhere_is_known_by_its_message_and_never_stale(catalogue: Any) -> None:
    entry = changed(requirement='"TRY-ONE-002"', scenario='"ones/test_two"', occurs='"anywhere"')
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge()
    assert judged.verdicts == {"TRY-ONE-001": "DEVIATES-AS-DOCUMENTED", "TRY-ONE-002": "CONFORMS"}
    assert [line["by_chance"] for line in sorted(judged.lines, key=str)] == [True, True]
    assert judged.exit_status == 0

    other = changed(
        requirement='"TRY-ONE-002"', scenario='"ones/test_two"', occurs='"anywhere"',
        message="\"assert 'other'*\"",
    )  # fmt: skip
    judged = catalogue.deviations(other).judge()
    assert judged.verdicts == {"TRY-ONE-001": "VIOLATES", "TRY-ONE-002": "CONFORMS"}
    assert "stale deviation" not in judged.output


def test_an_entry_is_not_stale_while_one_of_its_scenarios_did_not_run(catalogue: Any) -> None:
    entry = changed(scenario="", message='"odd"')
    catalogue.deviations(entry).scenarios("""
        @requirement("TRY-ONE-001")
        def test_one():
            assert True

        @requirement("TRY-ONE-001")
        def test_open():
            pass
        """)
    judged = catalogue.judge()
    assert "stale deviation" not in judged.output
    assert judged.exit_status == 2


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        (changed(requirement='"TRY-ONE-999"'), "there is no requirement TRY-ONE-999"),
        (changed(scenario='"ones/test_none"'), "there is no such scenario"),
        (changed(scenario='"ones/test_two"'), "does not judge this requirement"),
        (changed(reason='""'), "reason is missing or empty"),
        (changed(reason='" "'), "reason is missing or empty"),
        (changed(message='"*"'), "message is missing or empty"),
        (changed(date=""), "date is missing or empty"),
        (changed(colour='"red"'), "unknown key 'colour'"),
        (changed(**{"class": '"bad-luck"'}), "unknown class 'bad-luck'"),
        (changed(workloads='"sleep"'), "unknown step 'sleep'"),
        (changed(workloads='"recover"'), "workloads without a check"),
        (changed(**{"class": '""'}), "A class is known-defect, by-design, document-outdated"),
        (changed(**{"class": '"overridden-by:TRY-ONE-999"'}), "unknown class"),
        (changed(occurs='"now and then"'), "now and then"),
        (changed(version='"new"'), "'new' is no bound of a version"),
        (ENTRY + ENTRY, "Two deviations of memory for the same thing"),
        (ENTRY + changed(scenario=""), "Two deviations of memory for the same thing"),
        ("[[deviation]\n", "cannot be read"),
        ("[[deviations]]\n", "unknown table 'deviations'"),
    ],
)
def test_a_wrong_entry_is_a_fault(catalogue: Any, entry: str, complaint: str) -> None:
    judged = catalogue.scenarios(SCENARIOS).deviations(entry).judge()
    assert complaint in judged.output
    assert "memory.toml" in judged.output
    assert judged.exit_status == 3
    assert judged.folder is None


@pytest.mark.parametrize(
    "other",
    [
        {"provider": '"somebody"'},
        {"version": '">=2"'},
        {"transport": '"java"'},
        {"broker": '"rabbitmq"'},
        {"broker": '"rabbitmq or artemis"'},
    ],
)
def test_entries_of_others_do_not_count(catalogue: Any, other: dict[str, str]) -> None:
    judged = catalogue.scenarios(SCENARIOS).deviations(changed(**other)).judge()
    assert judged.verdicts["TRY-ONE-001"] == "VIOLATES"


def test_an_entry_names_the_brokers_that_it_was_seen_on(catalogue: Any) -> None:
    catalogue.scenarios(SCENARIOS)
    on_two = changed(broker='"rabbitmq or pulsar"')
    judged = catalogue.deviations(on_two).judge()
    assert judged.verdicts["TRY-ONE-001"] == "DEVIATES-AS-DOCUMENTED"
    again = catalogue.deviations(on_two + changed(broker='"pulsar or activemq"')).judge()
    assert "Two deviations of memory for the same thing" in again.output
    apart = catalogue.deviations(on_two + changed(broker='"artemis or activemq"')).judge()
    assert apart.verdicts["TRY-ONE-001"] == "DEVIATES-AS-DOCUMENTED"


def test_a_file_of_ones_own_counts_too(catalogue: Any) -> None:
    file = catalogue.pytester.path / "mine.toml"
    file.write_text(ENTRY)
    judged = catalogue.scenarios(SCENARIOS).judge("--deviations", str(file))
    assert judged.verdicts["TRY-ONE-001"] == "DEVIATES-AS-DOCUMENTED"
    assert catalogue.judge("--deviations", "none.toml").exit_status == 3


COUNTED = """
    @pytest.fixture
    def tries(counted=[]):
        counted.append(1)
        observe("tries", len(counted))
        return len(counted)
    """


@pytest.mark.parametrize("try_", [1, 3])
def test_what_happens_only_sometimes_is_tried_until_it_was_seen(catalogue: Any, try_: int) -> None:
    catalogue.deviations(changed(occurs='"sometimes"')).scenarios(f"""{COUNTED}
    @requirement("TRY-ONE-001")
    def test_one(tries):
        assert ("seen" if tries == {try_} else "expected") == "expected"
    """)
    line = catalogue.judge().line
    assert line["verdict"] == "DEVIATES-AS-DOCUMENTED"
    assert line["observables"] == {"tries": try_}
    assert line["by_chance"] is True


def test_what_is_no_known_deviation_ends_the_tries(catalogue: Any) -> None:
    catalogue.deviations(changed(occurs='"sometimes"')).scenarios(f"""{COUNTED}
    @requirement("TRY-ONE-001")
    def test_one(tries):
        assert ("other" if tries == 2 else "expected") == "expected"
    """)
    judged = catalogue.judge()
    assert judged.line["verdict"] == "VIOLATES"
    assert judged.line["observables"] == {"tries": 2}
    assert judged.exit_status == 1


@pytest.mark.parametrize(
    "other", [{"provider": '"somebody"'}, {"transport": '"java"'}, {"version": '">=2"'}]
)
def test_what_happens_sometimes_with_others_is_judged_once(
    catalogue: Any, other: dict[str, str]
) -> None:
    catalogue.deviations(changed(occurs='"sometimes"', **other)).scenarios(f"""{COUNTED}
    @requirement("TRY-ONE-001")
    def test_one(tries):
        assert tries
    """)
    line = catalogue.judge().line
    assert (line["verdict"], line["observables"]) == ("CONFORMS", {"tries": 1})
    assert line["by_chance"] is False


def test_of_two_that_happen_sometimes_neither_is_stale_for_the_other(catalogue: Any) -> None:
    entries = "".join(
        changed(requirement=f'"{id_}"', message=f"\"assert '{id_}' == *\"", occurs='"sometimes"')
        for id_ in ("TRY-ONE-001", "TRY-ONE-002")
    )
    catalogue.deviations(entries).scenarios(f"""{COUNTED}
    @requirement("TRY-ONE-001", "TRY-ONE-002")
    def test_one(tries):
        for id_ in ("TRY-ONE-001", "TRY-ONE-002"):
            with judging(id_):
                assert id_ == ("TRY-ONE-002" if tries == 2 else id_)
    """)
    judged = catalogue.judge()
    assert judged.verdicts == {
        "TRY-ONE-001": "DEVIATES-AS-DOCUMENTED",
        "TRY-ONE-002": "CONFORMS",
    }
    assert judged.exit_status == 0


def test_what_happens_always_does_not_end_the_tries_for_what_happens_sometimes(
    catalogue: Any,
) -> None:
    entries = changed() + changed(
        requirement='"TRY-ONE-002"', message='"assert 3 != 3"', occurs='"sometimes"'
    )
    catalogue.deviations(entries).scenarios(f"""{COUNTED}
    @requirement("TRY-ONE-001", "TRY-ONE-002")
    def test_one(tries):
        with judging("TRY-ONE-001"):
            assert "seen" == "expected"
        with judging("TRY-ONE-002"):
            assert tries != 3
    """)
    judged = catalogue.judge()
    assert set(judged.verdicts.values()) == {"DEVIATES-AS-DOCUMENTED"}
    assert judged.lines[0]["observables"] == {"tries": 3}


def test_what_is_damaged_is_other_at_each_try(catalogue: Any) -> None:
    entry = changed(message='"assert [4, 5] == []"', occurs='"sometimes"')
    judged = (
        catalogue.scenarios("""
        from touchstone.scenario.fixtures import AT_WORK

        @pytest.fixture
        def at_hand(request):
            return request.node.stash[AT_WORK]

        @requirement("TRY-ONE-001")
        def test_one(at_hand):
            numbers = [poison.number for poison in at_hand.poisons(["damage"], 2)]
            assert (numbers if 5 in numbers else []) == []
        """)
        .deviations(entry)
        .judge()
    )
    assert judged.line["verdict"] == "DEVIATES-AS-DOCUMENTED"
