"""How such programs begin, and calls that only together show something."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.resources.arguments import Of, Unique
from jms_model.resources.rules import FACTORY
from jms_model.resources.things import QUEUES, TOPICS, World
from touchstone.drawn.resources.drawing import (
    ADMINISTERED,
    CLIENTS,
    CONNECTION_CONSUMED,
    CONSUMED,
    OBJECTS,
    OTHER_DOMAIN,
    TEMPORARY,
    Drawing,
)
from touchstone.drawn.resources.program import Program
from touchstone.drawn.resources.texts import NAMES

_TURNS: Final = st.integers(12, 24)
"""Of one program: brokers have few objects to hold."""
_A, _B = Unique("a"), Unique("b")


def _identified_session(drawing: Drawing, client_id: Unique | None) -> str:
    """A session of a connection with a client id; gives its name."""
    opened = drawing.open()
    if client_id is not None and opened:
        drawing.adds(opened, "set_client_id", client_id)
    if drawing.simplified or not opened:
        return opened
    method = {QUEUES: "create_queue_session", TOPICS: "create_topic_session"}
    return drawing.adds(opened, method.get(drawing.domain, "create_session"), makes="s")


def _open(drawing: Drawing) -> None:
    opened = drawing.open()
    if opened and not drawing.simplified:
        drawing.session()


def _destinations(drawing: Drawing) -> None:
    """A session, mostly with a client id, a queue and a topic."""
    on = _identified_session(drawing, drawing.pick((_A, _A, None)))
    drawing.adds(on, "create_queue", Unique("queue0"), makes="q")
    drawing.adds(on, "create_topic", Unique("topic0"), makes="t")


def _one_domain(drawing: Drawing) -> None:
    """Destinations of a common connection, and a session of one domain."""
    drawing.adds(FACTORY, "create_connection", makes="c")
    on = drawing.adds("c0", "create_session", makes="s")
    drawing.adds(on, "create_queue", Unique("queue0"), makes="q")
    drawing.adds(on, "create_topic", Unique("topic0"), makes="t")
    _identified_session(drawing, drawing.pick((_A, None)))


def _temporaries(drawing: Drawing) -> None:
    """Two connections, and what one of them has made."""
    for _ in range(2):
        _identified_session(drawing, drawing.pick((_A, _B, None, None)))
    drawing.temporary()


def _clients(drawing: Drawing) -> None:
    """A topic, and a client."""
    on = _identified_session(drawing, drawing.pick((_A, None)))
    drawing.adds(on, "create_topic", Unique("topic0"), makes="t")
    drawing.open()


_BEGINNINGS: Final[Mapping[str, Callable[[Drawing], None]]] = {
    OBJECTS: _open,
    CONSUMED: _destinations,
    OTHER_DOMAIN: _one_domain,
    CONNECTION_CONSUMED: _one_domain,
    TEMPORARY: _temporaries,
    CLIENTS: _clients,
    ADMINISTERED: lambda drawing: None,
}


def _one_name_for_two_clients(drawing: Drawing) -> None:
    """A subscription's name under two client ids, and perhaps without one."""
    method = drawing.pick(
        ("create_durable_consumer", "create_shared_consumer", "create_shared_durable_consumer")
    )
    name = drawing.draw(NAMES)
    for client_id in (_A, _B) if "shared" not in method else drawing.pick(((_A, _B), (_A, None))):
        on = _identified_session(drawing, client_id)
        topic = drawing.adds(on, "create_topic", Unique("topic0"), makes="t")
        if topic:
            drawing.adds(on, method, Of(topic), name, makes="k")
    if on and drawing.flips():
        drawing.adds(on, "unsubscribe", name)


def _another_clients_name(drawing: Drawing) -> None:
    """One client's subscription is none of another's."""
    name = drawing.draw(NAMES)
    on = _identified_session(drawing, _A)
    topic = drawing.adds(on, "create_topic", Unique("topic0"), makes="t")
    if topic:
        made = drawing.adds(on, "create_durable_consumer", Of(topic), name, makes="k")
        if made and drawing.flips():
            drawing.adds(made, "close")
    other = _identified_session(drawing, drawing.pick((_B, _B, None)))
    drawing.adds(other, "unsubscribe", name)


def _names_that_differ_at_their_end(drawing: Drawing) -> None:
    """Two subscriptions with names of 128 characters."""
    on = _identified_session(drawing, _A)
    topic = drawing.adds(on, "create_topic", Unique("topic0"), makes="t")
    for ending in "ab" if topic else "":
        name = Unique("d4", ending, 128)
        made = drawing.adds(on, "create_durable_consumer", Of(topic), name, makes="k")
        if made and drawing.flips():
            drawing.adds(made, "close")
            drawing.adds(on, "unsubscribe", name)


def _contexts_of_one_connection(drawing: Drawing) -> None:
    """A context goes on when another of its connection is closed, with the same client id."""
    if not drawing.simplified:
        return
    first = _identified_session(drawing, _A)
    if not first:
        return
    second = drawing.adds(first, "create_context", drawing.pick((1, 2, 3, 0)), makes="s")
    queue = drawing.adds(first, "create_temporary_queue", makes="q")
    closed, left = (first, second) if drawing.pick((True, True, False)) else (second, first)
    for _ in range(drawing.pick((1, 2))):
        drawing.adds(closed, "close")
    for getter in ("get_transacted", "get_client_id"):
        drawing.adds(left, getter)
    if queue:
        drawing.adds(left, "create_consumer", Of(queue), makes="k")
    drawing.adds(left, "create_queue", Unique("queue1"), makes="q")
    other = drawing.open()
    if other:
        drawing.adds(other, "set_client_id", _A)
    drawing.adds(left, "close")
    again = drawing.open()
    if again:
        drawing.adds(again, "set_client_id", _A)
        drawing.adds(again, "get_client_id")


def _after_its_session(drawing: Drawing) -> None:
    """A temporary destination outlives its session, and not its connection."""
    method = drawing.pick(("create_temporary_queue", "create_temporary_topic"))
    opened = drawing.open()
    if not opened:
        return
    if drawing.simplified:
        first, second = opened, drawing.adds(opened, "create_context", 1, makes="s")
    else:
        first, second = (drawing.adds(opened, "create_session", makes="s") for _ in range(2))
    made = drawing.adds(first, method, makes="q" if method.endswith("queue") else "t")
    if not made:
        return
    drawing.adds(first, "close")
    drawing.adds(second, "create_consumer", Of(made), makes="k")
    drawing.adds(made, "is_there")
    drawing.adds(second if drawing.simplified else opened, "close")
    drawing.adds(made, "is_gone")


def _of_another_connection(drawing: Drawing) -> None:
    """A temporary destination is consumed from by its own connection only."""
    method = drawing.pick(("create_temporary_queue", "create_temporary_topic"))
    on = drawing.pick(drawing.sessions() or [""])
    made = drawing.adds(on, method, makes="q" if method.endswith("queue") else "t")
    other = _identified_session(drawing, None)
    for each in (other, on, other) if made else ():
        drawing.adds(each, "create_consumer", Of(made), makes="k")


def _durable_of_a_temporary_topic(drawing: Drawing) -> None:
    """It may be refused."""
    on = _identified_session(drawing, Unique("c"))
    made = drawing.adds(on, "create_temporary_topic", makes="t")
    if made:
        method = drawing.pick(("create_durable_consumer", "create_shared_durable_consumer"))
        drawing.adds(on, method, Of(made), Unique("d0"), makes="k")


def _deleted_though_used(drawing: Drawing) -> None:
    """A temporary destination goes when its consumers have, and nothing is sent to it then."""
    on = _identified_session(drawing, None)
    method = drawing.pick(("create_temporary_queue", "create_temporary_topic"))
    made = drawing.adds(on, method, makes="q" if method.endswith("queue") else "t")
    if not made:
        return
    consumer = drawing.adds(on, "create_consumer", Of(made), makes="k")
    drawing.adds(made, "delete")
    drawing.adds(consumer, "close")
    drawing.adds(made, "delete")
    drawing.adds(made, "is_gone")
    drawing.adds(on, "send_to", Of(made))
    drawing.adds(on, "create_consumer", Of(made), makes="k")


def _second_id(drawing: Drawing) -> None:
    """A client id is set once, and first."""
    opened = drawing.open()
    if not opened:
        return
    before = drawing.pick(("set_client_id", "start", "create_session", "close"))
    if before == "set_client_id":
        drawing.adds(opened, before, _B)
    else:
        drawing.adds(opened, before, makes="s" if before == "create_session" else "")
    drawing.adds(opened, "set_client_id", Unique("c"))
    drawing.adds(opened, "get_client_id")


def _closed_from_above(drawing: Drawing) -> None:
    """What belongs to a connection or a session is closed behind it."""
    opened = drawing.open()
    if not opened:
        return
    on = opened if drawing.simplified else drawing.adds(opened, "create_session", makes="s")
    queue = drawing.adds(on, "create_queue", Unique("queue0"), makes="q")
    consumer = drawing.adds(on, "create_consumer", Of(queue), makes="k")
    closed = drawing.pick((opened, on))
    for each in (closed, *drawing.pick(((consumer, on), (on, consumer), (consumer,), (on, on)))):
        drawing.adds(each, "close")
    drawing.late(drawing.pick((on, consumer, opened)))


_SCRIPTS: Final[Mapping[str, Sequence[Callable[[Drawing], None]]]] = {
    OBJECTS: (_contexts_of_one_connection, _closed_from_above),
    CONSUMED: (_names_that_differ_at_their_end, _closed_from_above),
    OTHER_DOMAIN: (Drawing.refused,),
    TEMPORARY: (
        _after_its_session,
        _durable_of_a_temporary_topic,
        _deleted_though_used,
        _of_another_connection,
    ),
    CLIENTS: (
        _one_name_for_two_clients,
        _another_clients_name,
        _names_that_differ_at_their_end,
        _contexts_of_one_connection,
        _second_id,
    ),
    CONNECTION_CONSUMED: (Drawing.connection_consumer,),
    ADMINISTERED: (_second_id,),
}


_SCRIPTED: Final = {
    OBJECTS: 1,
    CONSUMED: 1,
    OTHER_DOMAIN: 1,
    CONNECTION_CONSUMED: 1,
    TEMPORARY: 2,
    CLIENTS: 3,
    ADMINISTERED: 2,
}
"""So many of twenty turns are scripts."""
_DOMAINS: Final = {OTHER_DOMAIN: (QUEUES, QUEUES, TOPICS), CONNECTION_CONSUMED: (QUEUES,)}
"""The subjects of programs by the interfaces of one domain."""
_OF_TWENTY: Final = st.integers(0, 19)


@st.composite
def programs(draw: DrawFn, subject: str) -> Program:
    """Programs about a subject."""
    administered = subject == ADMINISTERED
    domains = _DOMAINS.get(subject, ("",))
    drawing = Drawing(
        draw,
        subject,
        simplified=subject not in _DOMAINS and draw(st.booleans()),
        domain=draw(st.sampled_from(domains)),
        world=World(administered=administered),
    )
    _BEGINNINGS[subject](drawing)
    for _ in range(draw(_TURNS)):
        if drawing.draw(_OF_TWENTY) < _SCRIPTED[subject]:
            drawing.pick(_SCRIPTS[subject])(drawing)
        else:
            drawing.turn()
    return Program(drawing.steps, administered)
