"""The second process of a scenario has the client that is judged: as it was asked for."""

from __future__ import annotations

from typing import Any

NAMED = """
from contextlib import contextmanager
from dataclasses import dataclass
from try_memory import Client, Memory


class Told(Client):
    def __init__(self, version):
        self.of_version = version

    def version(self):
        return self.of_version


@dataclass(frozen=True)
class Named(Memory):
    name: str = "named"
    version: str = "newest"

    @contextmanager
    def open(self, broker):
        yield Told(self.version)


def provider(variant=None, version=None):
    return Named(version=version or "newest")


def older():
    return Named(version="older")
"""
SCENARIO = """
    from types import SimpleNamespace
    from jms_brokers.brokers.interface import BrokerAddress
    from touchstone.scenario.fixtures import at_work

    NOWHERE = BrokerAddress("a://127.0.0.1:1", "http://127.0.0.1:1", "plain", "external", "0", "a")

    @requirement("TRY-ONE-001")
    def test_same(request):
        scenario = at_work(request)
        around = SimpleNamespace(client_address=lambda address: address)
        scenario.connected = SimpleNamespace(
            address=NOWHERE, probe=around, control=lambda: None
        )
        assert scenario.faults.other_process().client.version() == scenario.provider.version
"""


def test_another_process_has_the_version_that_is_judged(catalogue: Any) -> None:
    (catalogue.pytester.path / "try_named.py").write_text(NAMED)
    with (catalogue.pytester.path / "try_scenarios-0.dist-info/entry_points.txt").open("a") as file:
        file.write("named = try_named:provider\n")
    judged = catalogue.scenarios(SCENARIO).judge("--provider", "named@1.0")
    assert (judged.verdicts, judged.exit_status) == ({"TRY-ONE-001": "CONFORMS"}, 0), judged.output


def test_another_process_finds_a_module_of_ones_own(catalogue: Any) -> None:
    (catalogue.pytester.path / "try_named.py").write_text(NAMED)
    judged = catalogue.scenarios(SCENARIO).judge("--provider", "python:try_named:older")
    assert (judged.verdicts, judged.exit_status) == ({"TRY-ONE-001": "CONFORMS"}, 0), judged.output
