"""The reference and the model agree, although neither knows the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from drawn.reference_alone import driver, driver_of_producers, is_known
from jms_scenarios.core.bodies import test_drawn_programs as test_bodies
from jms_scenarios.core.headers import test_drawn_programs as test_headers
from jms_scenarios.core.producers import test_drawn_programs as test_producers
from jms_scenarios.core.properties import test_drawn_programs as test_properties
from jms_scenarios.starlight.properties import test_drawn_programs as of_starlight
from touchstone.drawn.hunting import Hunt
from touchstone.drawn.message_judging import PROGRAMS
from touchstone.drawn.producer_drawing import PRODUCERS, programs_about
from touchstone.drawn.rare_messages import rare_ones

pytestmark = pytest.mark.thorough

Scenario = Callable[..., None]
KINDS = ("message", "text", "bytes", "map", "stream", "object")
SCENARIOS: dict[Scenario, tuple[str, tuple[str, ...]]] = {
    test_properties.test_drawn_programs_on_properties: ("properties", ("message", "text", "map")),
    of_starlight.test_drawn_programs_on_values_that_are_no_properties: (
        "properties",
        ("message", "text", "map"),
    ),
    test_headers.test_drawn_programs_on_header_fields: ("headers", KINDS),
    test_bodies.test_drawn_programs_on_text_messages: ("body", ("text",)),
    test_bodies.test_drawn_programs_on_object_messages: ("body", ("object",)),
    test_bodies.test_drawn_programs_on_bytes_messages: ("body", ("bytes",)),
    test_bodies.test_drawn_programs_on_map_messages: ("body", ("map",)),
    test_bodies.test_drawn_programs_on_stream_messages: ("body", ("stream",)),
    test_producers.test_drawn_programs_on_message_producers: ("producers", test_producers.KINDS),
    test_producers.test_drawn_programs_on_jms_producers: ("JMSProducers", test_producers.KINDS),
}


IN_JAVA = {"JMS-CTX-015"}
"""What clients in Java alone can decide, of which test_rare_messages.py has some."""


def declared(scenario: Scenario) -> frozenset[str]:
    """The statements that it judges."""
    marks = scenario.pytestmark  # type: ignore[attr-defined]
    return frozenset(id_ for mark in marks if mark.name == "requirement" for id_ in mark.args)


@cache
def hunted(scenario: Scenario) -> Hunt:
    subject, kinds = SCENARIOS[scenario]
    runs = driver_of_producers() if subject in PRODUCERS else driver()
    hunt = Hunt(runs, declared(scenario), is_known)
    for seed in (0, 1):
        for programs, count in (
            (programs_about(subject, kinds), PROGRAMS),
            *rare_ones(subject, kinds),
        ):
            hunt.draw(programs, count, seed)
    return hunt


each_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.__name__)


@each_scenario
def test_they_agree(scenario: Scenario) -> None:
    disagreements = hunted(scenario).found.values()
    assert [str(each) for each in disagreements if not is_known(each)] == []


@each_scenario
def test_every_statement_is_decided(scenario: Scenario) -> None:
    decided = hunted(scenario).driver.decided
    assert sorted(id_ for id_ in declared(scenario) - IN_JAVA if not decided[id_]) == []


def test_no_statement_that_the_model_names_is_unheard() -> None:
    """What a rule cites some scenario declares: else nobody would hear of a disagreement."""
    heard = frozenset[str]().union(*map(declared, SCENARIOS))
    cited = {id_ for each in SCENARIOS for id_ in hunted(each).driver.decided}
    assert sorted(cited - heard) == []
