"""A small catalogue of which it is known what is true, and two clients to judge by it."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = """
from touchstone.api import Catalogue, Document

CATALOGUE = Catalogue(
    name="try",
    package="try_scenarios",
    documents=(Document("TRY", "The tried document", "requirements/try.toml"),),
    areas=("ones",),
)
"""
_REQUIREMENTS = "\n".join(
    f"""
[[requirement]]
id = "TRY-ONE-00{number}"
area = "ones"
source = [{{ document = "tried", section = "One" }}]
statement = "{statement}"
"""
    for number, statement in (
        (1, "What holds holds."),
        (2, "What does not hold holds."),
        (3, "Time does not go back."),
    )
)
_CLIENTS = """
from contextlib import contextmanager
from dataclasses import dataclass, replace
from jms_clients.interface import VendorConstants
from jms_clients.registry import load_provider


class Client:
    constants = VendorConstants()

    def connection_factory(self, settings):
        raise AssertionError("nobody connects with it")


@dataclass(frozen=True)
class Memory:
    name: str = "memory"
    version: str = "1"
    documents: frozenset = frozenset({"TRY"})
    capabilities: frozenset = frozenset()
    broker_family: str = "pulsar"
    transport: str = "native"

    @contextmanager
    def open(self, broker):
        yield Client()


def memory():
    return Memory()


def reference():
    return replace(load_provider("reference"), documents=frozenset({"TRY"}))
"""
_INSTALLED = {
    "METADATA": "Metadata-Version: 2.1\nName: try\nVersion: 0\n",
    "entry_points.txt": "[touchstone.catalogues]\ntry = try_scenarios:CATALOGUE\n",
}
_BEGIN = """
import time
import pytest
from bench.reliability.points import reach
from touchstone.api import at_work, broker, receive, requirement, slow

@pytest.fixture(autouse=True)
def steps():
    reach("set-up")
    yield
    reach("tear-down")
"""
_IN_MEMORY = """
@requirement("TRY-ONE-001")
@pytest.mark.parametrize("number", range(6))
def test_holds(number):
    reach("body")
    assert number >= 0

@requirement("TRY-ONE-003")
def test_time():
    began = time.time_ns()
    reach("time")
    assert time.time_ns() >= began
"""
_GUILTY = """
@slow
@requirement("TRY-ONE-002")
def test_guilty():
    assert [1] == [2]
"""
_ON_A_BROKER = """
@pytest.fixture
def at_hand(request):
    return at_work(request)

@pytest.fixture
def jms(at_hand):
    return at_hand.jms

@pytest.fixture
def queue(at_hand):
    return at_hand.queue()

def echo(jms, queue, ask):
    consumer, producer = jms.consumer(queue), jms.producer(queue)
    producer.send(jms.session().create_text_message("one"))
    reach("body")
    ask(consumer)
    producer.send(jms.session().create_text_message("two"))
    ask(consumer)

@requirement("TRY-ONE-001")
@pytest.mark.parametrize("number", range(2))
def test_helped(jms, queue, number):
    echo(jms, queue, receive)

@requirement("TRY-ONE-001")
@pytest.mark.parametrize("number", range(2))
def test_asserted(jms, queue, number):
    def ask(consumer):
        assert consumer.receive(4_000) is not None
    echo(jms, queue, ask)

@requirement("TRY-ONE-001")
@broker("no-auto-create")
def test_second(at_hand):
    at_hand.connected
    reach("second")
    assert at_hand.connected.control() is None
"""
_PRIVATE = """
@requirement("TRY-ONE-001")
@broker("plain", exclusive=True)
def test_private(jms, queue):
    def ask(consumer):
        assert consumer.receive(4_000) is not None
    echo(jms, queue, ask)
"""
GUILTY = frozenset({"ones/test_guilty"})
"""The scenarios that a client violates."""
SCENARIOS = {
    "memory": _IN_MEMORY,
    "guilty": _IN_MEMORY + _GUILTY,
    "broker": _ON_A_BROKER,
    "private": _ON_A_BROKER.partition("@requirement")[0] + _PRIVATE,
}
"""The modules of scenarios, by name."""


def write(folder: Path, scenarios: str) -> None:
    """Install the catalogue with one of the modules, and its clients, in `folder`."""
    package, installed = folder / "try_scenarios", folder / "try_scenarios-0.dist-info"
    for each in (package / "requirements", package / "deviations", installed):
        each.mkdir(parents=True)
    (package / "__init__.py").write_text(_PACKAGE)
    (package / "documents.toml").write_text('[tried]\ntitle = "The text that is tried"\n')
    (package / "requirements/try.toml").write_text(_REQUIREMENTS)
    (package / "test_ones.py").write_text(_BEGIN + SCENARIOS[scenarios])
    (folder / "try_clients.py").write_text(_CLIENTS)
    for name, text in _INSTALLED.items():
        (installed / name).write_text(text)
