"""A family of brokers that another distribution brings is used by its name; what is wrong with one
is an error for what needs it, and for nothing else.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from commands.made_runs import a_line, write_run
from jms_brokers.errors import BrokerError
from jms_brokers.shared.registry import families, family_named, family_names, obstacle
from touchstone.cli import main
from touchstone.verdicts import ExitStatus

ECHO = """
from dataclasses import replace

from jms_brokers.brokers.foreign import ForeignBroker
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.shared.interface import Family
from try_memory import Memory


class Echo(ForeignBroker):
    def look_at(self, address):
        return replace(address, version="1.0")


class Probe:
    queues = None
    settings = {}

    def __init__(self, address, space):
        self.address = address
        self.heard = f"what was heard in {space.partition('/')[0]}"

    def client_address(self, address):
        return address

    def round_trip(self):
        return 0.001

    def close(self):
        pass


def embedded(settings, profile, log):
    return Echo(BrokerAddress("echo://127.0.0.1:7", "", profile, settings.way, "", "echo"))


FAMILY = Family(
    name="echo",
    product="Echo",
    schemes={"echo": 7},
    ways={"embedded": embedded},
    probe=Probe,
    obstacle=lambda: "",
    views=frozenset({"heard"}),
)


def provider(variant, version):
    return Memory(name="shouter", broker_family="echo")
"""
SCENARIO = """
    from touchstone.scenario.fixtures import at_work

    @requirement("TRY-ONE-001")
    def test_echo(request):
        at_hand = at_work(request)
        assert at_hand.connected.address.service_url == "echo://127.0.0.1:7"
        assert at_hand.view("heard") == "what was heard in touchstone"

    @requirement("TRY-ONE-002")
    def test_other_view(request):
        assert at_work(request).view("admin")
"""

CLIENT_OF_BROKEN = """
from types import SimpleNamespace


def provider(variant, version):
    return SimpleNamespace(
        name="lost", version="1", documents=frozenset(), capabilities=frozenset(),
        broker_family="broken", transport="native", open=None,
    )
"""


def install(folder: Path, name: str, *families: str, more: str = "") -> None:
    """A distribution that registers families, as entry points are written."""
    installed = folder / f"{name}-0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0\n")
    lines = ["[jms_brokers.families]", *families, more, ""]
    (installed / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture
def echoing(catalogue: Any) -> Any:
    """The small catalogue, beside a distribution with the family `echo` and a client of it."""
    folder = catalogue.pytester.path
    (folder / "try_echo.py").write_text(ECHO)
    provider = "[jms_clients.providers]\nshouter = try_echo:provider"
    install(folder, "try_echo", "echo = try_echo:FAMILY", more=provider)
    return catalogue


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which distributions are found."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_client_is_judged_on_a_broker_of_another_distribution(echoing: Any) -> None:
    judged = echoing.scenarios(SCENARIO).judge("--provider", "shouter")

    assert judged.verdicts == {"TRY-ONE-001": "CONFORMS", "TRY-ONE-002": "INCONCLUSIVE"}
    [broker] = judged.run["brokers"]
    assert (broker["family"], broker["way"], broker["version"]) == ("echo", "embedded", "1.0")
    [line] = [line for line in judged.lines if line["requirement"] == "TRY-ONE-002"]
    assert "look into brokers of the family echo by 'admin'" in line["reason"]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("echo=embedded:1.0", "Embedded brokers of the family echo have no versions"),
        ("pulsar://host:6650", "'pulsar://host:6650' is no broker of the family echo"),
        ("amqp://host", "'amqp://host' is no broker of the family echo"),
    ],
)
def test_a_broker_that_the_client_does_not_speak_to_is_refused(
    echoing: Any, option: str, said: str
) -> None:
    judged = echoing.scenarios(SCENARIO).judge("--provider", "shouter", "--broker", option)

    assert judged.exit_status == ExitStatus.FAULT
    assert judged.folder is None
    assert said in judged.output


def test_a_way_by_which_the_family_is_not_come_by_judges_nothing(echoing: Any) -> None:
    judged = echoing.scenarios(SCENARIO).judge("--provider", "shouter", "--broker", "container")

    assert set(judged.verdicts.values()) == {"INCONCLUSIVE"}
    assert "There is no container broker of the family echo" in judged.lines[0]["reason"]


def test_a_run_whose_broker_cannot_start_here_ends_before_its_first_scenario(
    echoing: Any,
) -> None:
    lacking = ECHO.replace('obstacle=lambda: ""', 'obstacle=lambda: "echod is not installed"')
    (echoing.pytester.path / "try_echo.py").write_text(lacking)

    judged = echoing.scenarios(SCENARIO).judge("--provider", "shouter")

    assert judged.exit_status == ExitStatus.FAULT
    assert judged.folder is None
    assert "family echo can be started here: echod is not installed" in judged.output


def test_a_family_that_is_not_there_is_told_of_with_those_that_are(folder: Path) -> None:
    with pytest.raises(BrokerError, match="no brokers of the family 'artemix'") as caught:
        family_named("artemix")

    assert "artemis" in caught.value.hint
    assert "no brokers of the family 'nothing'" in obstacle("nothing")


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("import no_such_library", "cannot be loaded: ModuleNotFoundError"),
        ("FAMILY = object()", "is a object"),
        (ECHO.replace("from try_memory import Memory", ""), "calls itself 'echo'"),
    ],
)
def test_a_family_that_is_none_fails_whoever_needs_it_alone(
    folder: Path, module: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "try_broken", raising=False)
    (folder / "try_broken.py").write_text(module)
    install(folder, "try_broken", "broken = try_broken:FAMILY")

    with pytest.raises(BrokerError, match=said):
        family_named("broken")
    assert "broken" in family_names()
    assert "broken" not in families()
    assert said in obstacle("broken")
    assert families().keys() >= {"pulsar", "rabbitmq", "artemis", "activemq"}


def test_two_families_of_one_name_are_both_named(folder: Path) -> None:
    install(folder, "one", "twin = module_one:FAMILY")
    install(folder, "other", "twin = module_other:FAMILY")

    with pytest.raises(BrokerError, match="There are 2 families 'twin'") as caught:
        family_named("twin")

    for part in ("module_one:FAMILY of the distribution one", "module_other:FAMILY of the"):
        assert part in caught.value.what
    assert family_names().count("twin") == 1
    assert "twin" not in families()


def install_broken(folder: Path) -> None:
    """A distribution with a family that cannot be loaded, and a client of it."""
    (folder / "try_broken_client.py").write_text(CLIENT_OF_BROKEN)
    provider = "[jms_clients.providers]\nlost = try_broken_client:provider"
    install(folder, "try_broken", "broken = try_no_such_module:FAMILY", more=provider)


@pytest.mark.parametrize(
    "words", [["list", "--area", "order"], ["explain", "JMS-ERR-005"], ["report", "{results}"]]
)
def test_a_broken_family_keeps_nobody_from_what_needs_none(folder: Path, words: list[str]) -> None:
    install_broken(folder)
    results = write_run(folder / "results", [a_line()])

    status = main([word.format(results=results) for word in words])

    assert status == ExitStatus.NOTHING_UNEXPECTED


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("import no_such_library", "cannot be loaded: ModuleNotFoundError"),
        ("OURS = 7", "are a int"),
    ],
)
def test_deviations_that_are_none_fail_whoever_needs_them_alone(
    folder: Path,
    module: str,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delitem(sys.modules, "try_deviations", raising=False)
    (folder / "try_deviations.py").write_text(module)
    install(folder, "theirs", more="[touchstone.deviations]\ntheirs = try_deviations:OURS")
    results = write_run(folder / "results", [a_line()])

    assert main(["deviations"]) == ExitStatus.FAULT
    told = " ".join(capsys.readouterr().err.split())
    assert f"The deviations 'theirs' (try_deviations:OURS) {said}" in told
    for words in (["list", "--area", "order"], ["report", str(results)]):
        assert main(words) == ExitStatus.NOTHING_UNEXPECTED


def test_the_list_of_providers_and_the_doctor_say_what_is_broken(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install_broken(folder)

    assert main(["providers", "--json"]) == ExitStatus.NOTHING_UNEXPECTED
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)["providers"]}
    assert "The family 'broken'" in found["lost"]["problem"]
    assert "problem" not in found["reference"]

    main(["doctor", "--json"])
    findings = {one["subject"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
    assert findings["Brokers of broken"]["state"] == "lacks"
    assert "try_no_such_module" in findings["Brokers of broken"]["seen"]


def test_a_client_of_a_broken_family_is_not_judged(catalogue: Any) -> None:
    install_broken(catalogue.pytester.path)

    judged = catalogue.scenarios(SCENARIO).judge("--provider", "lost")

    assert judged.exit_status == ExitStatus.FAULT
    assert judged.folder is None
    assert "The family 'broken' (try_no_such_module:FAMILY) cannot be loaded" in judged.output
