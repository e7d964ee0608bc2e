"""Drawn programs by vendors' documents notice who acknowledges too much or too little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from drawn.sessions_in_memory import Call, InMemory, Wrong, declared_by, hunted, right
from jms_model.delivery.backlog import Backlog, Copy, MessageState
from jms_model.delivery.session import CLIENT, Received
from jms_model.delivery.vendors import INDIVIDUAL
from jms_scenarios.amq.acknowledgement import test_acknowledgement as of_amq
from jms_scenarios.rabbitmq.acknowledgement import test_acknowledgement as of_rabbitmq
from jms_scenarios.starlight.acknowledgement import test_drawn_programs as of_starlight
from touchstone.drawn.sessions.program import Step

pytestmark = pytest.mark.thorough

Held = Sequence[tuple[Backlog, Copy]]
Spares = Callable[[Copy, Held], Held]
"""What of a session's messages an acknowledge of one of them is wrong to leave or to settle."""

ALONE = of_starlight.test_drawn_programs_on_acknowledgement
OVER_CONSUMERS = of_starlight.test_drawn_programs_on_acknowledgement_over_consumers
INDIVIDUALLY = of_amq.test_drawn_programs_on_individual_acknowledgement
UP_TO = of_rabbitmq.test_drawn_programs_on_acknowledgement_up_to_a_message
SUBJECTS = {
    ALONE: ("individually", "acknowledgement"),
    OVER_CONSUMERS: ("holding",),
    INDIVIDUALLY: ("individually",),
    UP_TO: ("individually",),
}
DOCUMENTS = {ALONE: "SLJ", OVER_CONSUMERS: "SLJ", INDIVIDUALLY: "AMQ", UP_TO: "RMQ"}


def acknowledging(
    mode: int, *, keeps: Spares | None = None, settles: Spares | None = None
) -> Wrong:
    """A client whose acknowledge() keeps some messages, or settles some more, in one mode."""

    def wrong(app: InMemory, step: Step, call: Call) -> object:
        message: Any = app.objects.get(step.on)
        is_one = step.method == "acknowledge" and isinstance(message, Received)
        if not is_one or message.session.mode != mode or message.session.closed_by:
            return call()
        session = message.session
        kept = keeps(message.copy, [*session.held]) if keeps else ()
        given = call()
        for backlog, copy in kept:
            if copy.state is MessageState.SETTLED:
                session.holds(backlog, copy)
        for backlog, copy in settles(message.copy, [*session.held]) if settles else ():
            copy.becomes(MessageState.SETTLED, [], "")
            session.held.remove((backlog, copy))
        return given

    return wrong


def own(copy: Copy, held: Held) -> Held:
    return [each for each in held if each[1] is copy]


def others(copy: Copy, held: Held) -> Held:
    return [each for each in held if each[1] is not copy]


def others_of_its_consumer(copy: Copy, held: Held) -> Held:
    of = {id(backlog) for backlog, each in held if each is copy}
    return [each for each in others(copy, held) if id(each[0]) in of]


def of_other_consumers(copy: Copy, held: Held) -> Held:
    of = {id(backlog) for backlog, each in held if each is copy}
    return [each for each in held if of and id(each[0]) not in of]


KEEPS_ITS_OWN = acknowledging(INDIVIDUAL, keeps=own)
SETTLES_OTHERS = acknowledging(INDIVIDUAL, settles=others)
WRONG = [
    (ALONE, "SLJ-ACK-014", SETTLES_OTHERS),
    (ALONE, "SLJ-ACK-014", KEEPS_ITS_OWN),
    (ALONE, "SLJ-ACK-015", KEEPS_ITS_OWN),
    (ALONE, "SLJ-ACK-009", acknowledging(CLIENT, keeps=others_of_its_consumer)),
    (OVER_CONSUMERS, "SLJ-ACK-009", acknowledging(CLIENT, keeps=own)),
    (OVER_CONSUMERS, "SLJ-ACK-010", acknowledging(CLIENT, keeps=of_other_consumers)),
    *((INDIVIDUALLY, f"AMQ-ACK-{number:03}", KEEPS_ITS_OWN) for number in (3, 4, 6)),
    *((INDIVIDUALLY, f"AMQ-ACK-{number:03}", SETTLES_OTHERS) for number in (3, 5, 6, 7)),
    *((UP_TO, f"RMQ-ACK-{number:03}", KEEPS_ITS_OWN) for number in (7, 9)),
    *((UP_TO, f"RMQ-ACK-{number:03}", SETTLES_OTHERS) for number in (7, 8)),
    (UP_TO, "RMQ-ACK-002", acknowledging(CLIENT, keeps=own)),
    (UP_TO, "RMQ-ACK-003", acknowledging(CLIENT, keeps=others)),
    (UP_TO, "RMQ-ACK-001", acknowledging(CLIENT, settles=others)),
    (UP_TO, "RMQ-ACK-004", acknowledging(CLIENT, settles=others)),
]


@pytest.mark.parametrize(
    ("scenario", "id_", "wrong"),
    WRONG,
    ids=[f"{id_}-{number}" for number, (_, id_, _) in enumerate(WRONG)],
)
def test_it_is_noticed(scenario: Callable[..., None], id_: str, wrong: Wrong) -> None:
    declared = declared_by(scenario)
    assert id_ in declared
    hunt = hunted(wrong, declared, SUBJECTS[scenario], id_, DOCUMENTS[scenario])
    assert hunt.against(id_)


@pytest.mark.parametrize("scenario", SUBJECTS)
def test_a_right_client_is_accused_of_nothing_and_all_is_decided(
    scenario: Callable[..., None],
) -> None:
    declared = declared_by(scenario)
    hunt = hunted(right, declared, SUBJECTS[scenario], document=DOCUMENTS[scenario])
    assert hunt.found == {}
    assert sorted(id_ for id_ in declared if not hunt.driver.decided[id_]) == []
