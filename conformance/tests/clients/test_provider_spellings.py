"""Providers of other people: named by module and attribute, judged on a broker of one's own."""

from __future__ import annotations

import datetime
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from jms_brokers.brokers.interface import BrokerAddress
from jms_clients.errors import ProviderError
from jms_clients.interface import Client
from jms_clients.java import runtime as java_runtime
from jms_clients.readiness import make_ready, obstacle, versions
from jms_clients.reference import provider as reference
from jms_clients.registry import Spelling, families_of, load_provider
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.versions import VersionRange
from touchstone.cli import main
from touchstone.outcomes.known_deviations import subject_of
from touchstone.verdicts import ExitStatus
from touchstone_reports.results import read
from touchstone_reports.verdicts import Verdict

pytestmark = pytest.mark.thorough

DAY = datetime.date(2026, 1, 31)


class OtherClient:
    """The reference under another name, written as docs/judging.md says."""

    name, version, transport = "other-client", "2.1", "native"
    documents, capabilities = frozenset({"SLJ"}), frozenset[str]()
    broker_family = "pulsar"

    @contextmanager
    def open(self, broker: BrokerAddress) -> Iterator[Client]:
        """Open the reference."""
        with reference(None, None).open(broker) as client:
            yield client


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module that holds the provider in each of its forms."""
    made = ModuleType("their_client")
    made.Class = OtherClient  # type: ignore[attr-defined]
    made.instance = OtherClient()  # type: ignore[attr-defined]
    made.function = lambda: OtherClient()  # type: ignore[attr-defined]
    made.nothing = object()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made.__name__


@pytest.mark.parametrize("form", ["Class", "instance", "function"])
def test_a_provider_is_named_by_module_and_attribute(module: str, form: str) -> None:
    assert isinstance(load_provider(f"python:{module}:{form}"), OtherClient)


@pytest.mark.parametrize(
    ("spelling", "says"),
    [
        ("python:{}:nothing", "cannot be loaded"),
        ("python:{}:missing", "cannot be loaded"),
        ("python:no_such_module:x", "cannot be loaded"),
        ("python:{}", "does not name a provider"),
        ("refrence", "There is no provider 'refrence'"),
        ("reference+mutant:none", "There is no mutant 'none'"),
        ("reference/qpid", "qpid"),
        ("qpid+on:", "does not name a provider"),
        ("qpid+on:artemis+on:rabbitmq", "does not name a provider"),
        ("qpid+mutant:x+on:rabbitmq", "does not name a provider"),
        ("qpid+on:pulsar", r"does not talk to .*'pulsar'(.|\n)*: artemis, brokerj, rabbitmq"),
        ("reference+on:artemis", "does not talk to"),
        ("reference-java/amq", "reference-java has no variant"),
        ("reference-java@0.0.1", "not 0.0.1"),
        ("starlight/jakarta", "starlight has no variant"),
        ("starlight@1.0", r"no Starlight for JMS 1\.0 here(.|\n)*7\.0\.15, 9\.0\.0"),
    ],
)
def test_what_is_no_provider_is_said(module: str, spelling: str, says: str) -> None:
    with pytest.raises(ProviderError, match=says):
        load_provider(spelling.format(module))


def test_a_client_is_judged_on_brokers_of_another_family() -> None:
    usual, there = load_provider("qpid"), load_provider("qpid@2.10.0+on:rabbitmq")

    assert usual.broker_family == load_provider("qpid+on:artemis").broker_family == "artemis"
    assert families_of(usual)[:1] == ("artemis",)
    assert "rabbitmq" in families_of(usual)
    assert (there.broker_family, families_of(there)) == ("rabbitmq", ("rabbitmq",))
    subject = subject_of(there, "3.10.8", "qpid")
    entry = Deviation("f", "qpid", "JMS-HDR-001", "m", "known-defect", "r", "", DAY)
    assert entry.concerns(subject)
    assert replace(entry, broker="rabbitmq").concerns(subject)
    assert not replace(entry, broker="artemis").concerns(subject)
    assert not replace(entry, java=VersionRange(">=25")).concerns(replace(subject, java="21.0.8"))
    assert replace(entry, java=VersionRange(">=25")).concerns(replace(subject, java="25.0.2"))


@pytest.mark.parametrize(
    "text",
    ["reference", "starlight@9.0.0", "reference/amq+mutant:x", "python:a.b:c+on:d", "q@1+on:r"],
)
def test_a_spelling_is_written_as_it_is_read(text: str) -> None:
    assert str(Spelling.parse(text)) == text


def test_the_reference_on_java_shares_its_deviations_but_those_of_the_native_transport() -> None:
    java = load_provider("reference-java")
    subject = subject_of(java, "4.0.7", "reference-java")
    shared = Deviation("f", "reference", "SLJ-HDR-004", "m", "by-design", "r", "", DAY)
    assert (java.name, java.transport) == ("reference-java", "java")
    assert shared.concerns(subject)
    assert not replace(shared, transport="native").concerns(subject)
    assert not replace(shared, not_of="reference-java").concerns(subject)
    assert replace(shared, provider="reference-java").concerns(subject)
    assert not replace(shared, provider="reference-java").concerns(
        subject_of(load_provider("reference"), "4.0.7", "reference")
    )


def test_without_its_jars_a_client_in_java_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    monkeypatch.setenv("TOUCHSTONE_OFFLINE", "1")
    monkeypatch.setenv("HOME", str(tmp_path))
    provider = load_provider("rabbitmq")
    assert "amqp-client" in obstacle(provider)
    with pytest.raises(ProviderError, match=r"amqp-client(.|\n)*hint"):
        make_ready(provider)


def test_missing_jars_are_no_obstacle_where_they_may_be_fetched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    monkeypatch.delenv("TOUCHSTONE_OFFLINE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TOUCHSTONE_MAVEN_URL", "http://127.0.0.1:9/asked-for-nothing")
    assert obstacle(load_provider("starlight")) == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["reference-java", "starlight"])
def test_without_a_java_a_client_in_java_says_how_to_name_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv("TOUCHSTONE_JAVA", str(tmp_path / "jre"))
    provider = load_provider(name)
    assert f"there is no {tmp_path}/jre" in obstacle(provider)
    with pytest.raises(ProviderError, match=rf"{name} cannot run here(.|\n)*TOUCHSTONE_JAVA"):
        make_ready(provider)


def test_without_pika_the_extra_is_named_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pika", None)
    assert "jms-touchstone[rabbitmq]" in obstacle(load_provider("rabbitmq"))


OF_ONES_OWN = """
from pathlib import Path
from jms_clients import activemq
from jms_clients.java.releases import Releases

class Mine(activemq.ActiveMqProvider):
    releases = Releases("mine", "My client", newest="2.0", folder=Path(__file__).parent)

def provider(variant=None, version=None):
    chosen = Mine.releases.chosen(variant, version)
    return Mine(chosen, "mine", frozenset(), broker_family="activemq")
"""


def test_a_module_of_ones_own_brings_the_locks_of_its_jars(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine_of_my_own.py").write_text(OF_ONES_OWN)
    line = f"org.example:mine:jar:2.0 sha256:{'0' * 64} 12\n"
    for version in ("1.0", "2.0"):
        (tmp_path / f"mine-{version}.lock").write_text(line)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TOUCHSTONE_OFFLINE", "1")
    monkeypatch.setenv("M2_REPO", str(tmp_path))

    provider = load_provider("python:mine_of_my_own:provider")

    assert versions(provider) == ("1.0", "2.0")
    assert "org.example:mine:2.0" in obstacle(provider)
    with pytest.raises(ProviderError, match=r"org\.example:mine:2\.0"):
        make_ready(provider)


def a_jar(path: Path, *entries: str) -> Path:
    with zipfile.ZipFile(path, "w") as content:
        for entry in entries:
            content.writestr(entry, b"")
    return path


def test_jms_in_both_namespaces_is_refused(tmp_path: Path) -> None:
    jakarta = a_jar(tmp_path / "a.jar", "jakarta/jms/Message.class", "jakarta/jms/Queue.class")
    javax = a_jar(tmp_path / "b.jar", "x.txt", "javax/jms/Message.class")
    other = a_jar(tmp_path / "c.jar", "javax/jms/JMSException.class")
    assert java_runtime.namespace_of("mine", [jakarta, other]) == "jakarta.jms"
    assert java_runtime.namespace_of("mine", [other, javax, javax]) == "javax.jms"
    assert java_runtime.namespace_of("mine", [other]) is None
    named = a_jar(tmp_path / "d.jar", "javax/jms/Message.class.txt")  # and none by this name
    assert java_runtime.namespace_of("mine", [jakarta, named]) == "jakarta.jms"
    with pytest.raises(
        ProviderError, match=r"JMS twice: jakarta\.jms \(a\.jar\) and javax\.jms \(b\.jar\)"
    ):
        java_runtime.namespace_of("mine", [jakarta, other, javax])


def test_what_is_no_jar_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jar"
    broken.write_bytes(b"PK but no more")
    with pytest.raises(ProviderError, match=r"broken\.jar is no jar"):
        java_runtime.namespace_of("mine", [broken])


def test_a_process_runs_the_jars_of_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_runtime, "_running", "starlight-9.0.0")
    with pytest.raises(ProviderError, match=r"its JVM runs starlight-9\.0\.0"):
        java_runtime.start("other", "other-1.0")


def test_starlight_is_judged_in_a_worker_with_deviations_of_its_own(
    pulsar: BrokerAddress, tmp_path: Path
) -> None:
    status = main(
        ["run", "--provider", "starlight", "--broker", pulsar.service_url,
         "--admin-url", pulsar.admin_url, "--results-dir", str(tmp_path),
         "--requirement", "SLJ-HDR-001", "--requirement", "SLJ-HDR-009"]
    )  # fmt: skip
    assert status == ExitStatus.NOTHING_UNEXPECTED

    [run] = tmp_path.iterdir()
    results = read(run)
    assert results.worst_by_requirement("starlight") == {
        "SLJ-HDR-001": Verdict.CONFORMS,
        "SLJ-HDR-009": Verdict.DEVIATES,
    }
    assert {judgement.worker for judgement in results.judgements} == {"gw0"}


def test_a_provider_of_ones_own_is_judged_on_a_broker_of_ones_own(
    pulsar: BrokerAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Path(__file__)
    monkeypatch.syspath_prepend(str(here.parent))
    monkeypatch.setenv("PYTHONPATH", str(here.parent))
    name = f"python:{here.stem}:OtherClient"
    status = main(
        ["run", "--provider", name, "--broker", pulsar.service_url, "--admin-url", pulsar.admin_url,
         "--results-dir", str(tmp_path), "--requirement", "SLJ-HDR-001",
         "--requirement", "SLJ-HDR-008"]
    )  # fmt: skip
    assert status == ExitStatus.UNEXPECTED, "the reference's deviations are not this client's"

    [run] = tmp_path.iterdir()
    results = read(run)
    assert results.worst_by_requirement(name) == {
        "SLJ-HDR-001": Verdict.CONFORMS,
        "SLJ-HDR-008": Verdict.VIOLATES,
    }
    [provider] = results.run.providers
    assert (provider.name, provider.version) == (name, "2.1")
    assert f"--admin-url {pulsar.admin_url}" in results.judgements[0].rerun
