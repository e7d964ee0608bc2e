"""What belongs to one product of brokers stands in its folder, and is imported when needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import jms_brokers
import touchstone
from jms_brokers.families.pulsar.admin import PulsarAdmin, SubscriptionStatistics
from jms_brokers.families.pulsar.wire import PulsarWire
from jms_brokers.machine import installed
from jms_brokers.machine.polling import until
from jms_brokers.shared import registry
from jmsapi import Destination
from touchstone.outcomes.failures import is_client_failure

PACKAGES = [Path(package.__file__ or "").parent for package in (jms_brokers, touchstone)]
ROOT = PACKAGES[0].parent
PRODUCT = re.compile(
    r"pulsar(?!_jms)|rabbit|artemis|activemq|openwire|openmq|amqp|broker-?j\b", re.IGNORECASE
)
"""Products of brokers and their protocols; `pulsar_jms` is the reference, whatever it speaks."""
MAY_NAME_ONE = {
    "jms_brokers/amqp/": "a protocol of several products",
    "jms_brokers/families/": "each product has its package there",
    "jms_brokers/shared/settings.py": "the family of a broker that is named by no other",
    "touchstone/api.py": "scenarios of the documents on Pulsar ask for what judges them",
    "touchstone/drawn/pulsar_wire/": "what JMS messages are on a Pulsar, by a client's documents",
    "touchstone/drawn/redelivery_limits/": "what becomes of those that fail, by the same documents",
    "touchstone/drawn/subscriptions/": "and what its subscriptions are",
    "touchstone/interop/": "pairs of clients meet on a Pulsar: its raw messages are looked at",
    "jms_clients/activemq.py": "a client names the family that it speaks to",
    "jms_clients/artemis.py": "the same",
    "jms_clients/openmq.py": "the same",
    "jms_clients/qpid.py": "the same",
    "jms_clients/rabbitmq.py": "the same",
    "jms_clients/reference.py": "the same",
    "jms_clients/starlight.py": "the same",
    "touchstone/workloads/library/": "workloads of what one product alone has say so",
    "touchstone/workloads/tasks.py": "their settings are written with the keys of Pulsar's clients",
}
TUTORIAL = ROOT.parent / "docs" / "new-broker.md"
CLIENT_LIBRARIES = ("pulsar", "_pulsar", "pika", "docker", "jpype", "httpx")


def code_names(source: str) -> Iterator[str]:
    """Every name and text of a module but its prose: comments and docstrings may say why."""
    tree = ast.parse(source)
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in prose:
                yield text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield f"{name} {other or ''}"
            case ast.ImportFrom(module=str(module)):
                yield module


def named_products(file: Path) -> list[str]:
    """What of a module names a product."""
    return [name for name in code_names(file.read_text()) if PRODUCT.search(name)]


def test_nothing_but_families_names_a_product() -> None:
    products_by_file = {
        name: products
        for package in PACKAGES
        for file in package.rglob("*.py")
        if not (name := file.relative_to(ROOT).as_posix()).startswith(tuple(MAY_NAME_ONE))
        and (products := named_products(file))
    }

    assert products_by_file == {}


@pytest.mark.parametrize("place", MAY_NAME_ONE)
def test_whoever_may_name_a_product_does(place: str) -> None:
    there = ROOT / place
    files = there.rglob("*.py") if place.endswith("/") else [there]

    assert any(named_products(file) for file in files)


@pytest.mark.parametrize(
    "code",
    [
        "from jms_brokers.shared.registry import families; assert len(families()) >= 4",
        "import touchstone.api",
    ],
)
def test_knowing_families_brings_no_client_of_theirs(code: str) -> None:
    told = f"{code}; import sys; print(*{{*{CLIENT_LIBRARIES!r}}} & sys.modules.keys())"

    answer = subprocess.run(
        [sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=60
    )

    assert answer.stdout.split() == []


def test_the_tutorial_shows_the_code_of_the_family_that_it_walks_through() -> None:
    folder = ROOT / "jms_brokers" / "families" / "activemq"
    sources = [file.read_text() for file in folder.glob("*.py")]
    lines = {line.strip() for source in sources for line in source.splitlines()}
    blocks = re.findall(r"```python\n(.*?)```", TUTORIAL.read_text(), re.DOTALL)

    shown = [line.strip() for block in blocks for line in block.splitlines() if line.strip()]

    assert len(blocks) == 5
    assert [line for line in shown if line not in lines] == []


class SilentAdmin(PulsarAdmin):
    """Sees no subscription anywhere."""

    def __init__(self) -> None:
        pass

    def subscriptions(self, destination: Destination | str) -> dict[str, SubscriptionStatistics]:
        return {}


class CrowdedWire(PulsarWire):
    """Sees two messages on every topic."""

    def __init__(self) -> None:
        pass

    def topic(self, destination: Destination | str) -> str:
        return "persistent://t/n/topic"

    def messages(self, destination: Destination | str) -> list[Any]:
        return ["one", "two"]


@pytest.mark.parametrize(
    "look",
    [
        lambda: SilentAdmin().subscription("topic", "name"),
        lambda: SilentAdmin().only_subscription("topic"),
        lambda: CrowdedWire().only_message("topic"),
        lambda: until(lambda: False, within=0),
    ],
)
def test_what_an_independent_look_does_not_show_speaks_against_the_client(
    look: Callable[[], object],
) -> None:
    with pytest.raises(AssertionError) as caught:
        look()

    assert is_client_failure(caught.value, ())


def test_distributions_are_read_once_and_again_where_the_path_has_grown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read: list[int] = []

    def entry_points() -> object:
        read.append(len(read))
        return metadata.entry_points()

    monkeypatch.setattr(installed, "entry_points", entry_points)
    for name in ("empty", "full"):
        (tmp_path / name).mkdir()
    late = tmp_path / "full/try_late-0.dist-info"
    late.mkdir()
    (late / "METADATA").write_text("Metadata-Version: 2.1\nName: try_late\nVersion: 0\n")
    (late / "entry_points.txt").write_text("[jms_brokers.families]\nlate = try_late:family\n")

    monkeypatch.syspath_prepend(tmp_path / "empty")
    assert "late" not in registry.family_names()
    assert "pulsar" in registry.family_names()
    assert len(read) == 1

    monkeypatch.syspath_prepend(tmp_path / "full")
    assert "late" in registry.family_names()
