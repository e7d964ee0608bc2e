"""The state machine of acknowledgement against an obvious model."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from pulsar_jms.settling.unacknowledged import UnacknowledgedDeliveries, UnacknowledgedDelivery

_CONSUMERS = st.sampled_from("AB")
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("deliver"), _CONSUMERS),
        st.tuples(st.just("acknowledge"), st.integers(0, 30)),
        st.tuples(st.just("acknowledge one"), st.integers(0, 30)),
        st.tuples(st.just("recover"), st.none()),
        st.tuples(st.just("close"), _CONSUMERS),
    ),
    max_size=30,
)


def _belongs(consumer: str, delivery: UnacknowledgedDelivery[str, int]) -> bool:
    return delivery.consumer == consumer


@given(_STEPS)
def test_any_sequence_takes_each_delivery_at_most_once_and_in_order(
    steps: list[tuple[str, object]],
) -> None:
    """The model is a plain list of what is open, searched from the front at every step."""
    session: UnacknowledgedDeliveries[str, int] = UnacknowledgedDeliveries()
    made: list[UnacknowledgedDelivery[str, int]] = []
    model: list[UnacknowledgedDelivery[str, int]] = []
    for step, argument in steps:
        if step == "deliver":
            made.append(session.delivered(str(argument), len(made)))
            model.append(made[-1])
        elif step == "recover":
            assert session.take_all() == model
            model = []
        elif step == "close":
            taken = session.take_where(partial(_belongs, str(argument)))
            assert taken == [delivery for delivery in model if delivery.consumer == argument]
            model = [delivery for delivery in model if delivery.consumer != argument]
        elif made:
            chosen = made[int(str(argument)) % len(made)]
            index = made.index(chosen)
            if step == "acknowledge":
                covered = [delivery for delivery in model if made.index(delivery) <= index]
                assert session.take_through(chosen.number) == covered
                model = [delivery for delivery in model if delivery not in covered]
            else:
                assert session.take(chosen) == (chosen in model)
                model = [delivery for delivery in model if delivery is not chosen]
        assert len(session) == len(model)
        assert all(session.contains(delivery) == (delivery in model) for delivery in made)
        assert session.of("A") == [each for each in model if each.consumer == "A"]


def test_numbers_run_over_all_consumers_of_a_session() -> None:
    """What another consumer received earlier is covered, what it received later is not."""
    session: UnacknowledgedDeliveries[str, str] = UnacknowledgedDeliveries()
    first = session.delivered("A", "a1")
    second = session.delivered("B", "b1")
    third = session.delivered("A", "a2")
    assert session.take_through(second.number) == [first, second]
    assert session.take_all() == [third]
