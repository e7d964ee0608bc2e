"""What every family of brokers keeps: one check, for those of others as well."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jms_brokers.brokers.interface import Broker, BrokerAddress
from jms_brokers.brokers.profiles import PLAIN
from jms_brokers.families.openmq.embedded import EmbeddedOpenMq
from jms_brokers.families.openmq.family import FAMILY as OPENMQ
from jms_brokers.families.openmq.probe import OpenMqProbe
from jms_brokers.shared.checking import check_family
from jms_brokers.shared.interface import Family
from jms_brokers.shared.registry import family_named, family_names
from jms_brokers.shared.settings import BrokerSettings
from jvm_runtime.progress import quiet

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize("name", family_names())
def test_a_family_keeps_what_every_family_keeps(name: str) -> None:
    family = family_named(name)
    if trouble := family.obstacle():
        pytest.skip(trouble)
    check_family(family)


class Immortal(EmbeddedOpenMq):
    """A crash does not end it."""

    def kill(self) -> None:
        pass


class Elsewhere(EmbeddedOpenMq):
    """It says that it is of another family."""

    family = "another"


class Backwards(OpenMqProbe):
    """Its queues are taken from their end."""

    def __init__(self, address: BrokerAddress, space: str) -> None:
        super().__init__(address)
        take = self.queues.take
        self.queues.take = lambda queue: take(queue)[::-1]  # type: ignore[method-assign]


def _openmq(kind: type[EmbeddedOpenMq], *, any_profile: bool = False) -> Family:
    """OpenMQ whose embedded broker is of this kind; with `any_profile` each is the usual one."""

    def embedded(settings: BrokerSettings, profile: str, log: Path | None) -> Broker:
        return kind(PLAIN if any_profile else profile, log=log, show=quiet)

    return replace(OPENMQ, ways={"embedded": embedded})


@pytest.mark.parametrize(
    ("family", "fault"),
    [
        (_openmq(Immortal), "a killed broker answers"),
        (_openmq(Elsewhere), "family='another'"),
        (_openmq(EmbeddedOpenMq, any_profile=True), "profile .* nothing is refused"),
        (replace(OPENMQ, probe=Backwards), "what is taken is not what was sent, in order"),
    ],
)
def test_a_family_that_does_not_hears_what_it_does_not_keep(family: Family, fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        check_family(family)
