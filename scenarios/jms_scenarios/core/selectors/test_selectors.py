"""Selectors: what is one, which messages it selects, and what becomes of the others."""

from functools import partial
from itertools import product
from random import Random

import pytest

from jms_scenarios.core import selector_trees as trees
from jms_scenarios.core.opening import SELECTED, TEN, X1, one_of_each
from jms_scenarios.core.selector_tables import (
    CONJUNCTIONS,
    DISJUNCTIONS,
    INVALID,
    NEGATIONS,
    TABLES,
    Table,
)
from jms_scenarios.selecting import choices, chosen_otherwise, not_refused, send_with
from jms_scenarios.traffic import send, texts
from jmsapi import DeliveryMode, InvalidSelectorException
from touchstone.api import (
    checks,
    durable_consumer,
    eventually,
    judging,
    nothing_before,
    observe,
    receive,
    receive_all,
    requirement,
    until,
)

MINUTE = 60_000


def check_all(jms, queues, name, table):
    """Each statement of a table holds for what consumers of a topic of its own choose.

    A broker may refuse a message because of one of the selectors; that is no matter of the others.
    """
    for identifier, rows in table.statements.items():
        with judging(identifier):
            chosen = choices(jms, queues, jms.topic(name("topic")), table.messages, rows)
            assert chosen_otherwise(chosen, rows) == []


@pytest.mark.parametrize(
    "table",
    [pytest.param(each, marks=requirement(*each.statements), id=each.name) for each in TABLES],
)
def test_selectors_choose_as_the_table_says(jms, queues, name, table):
    """Consumers of a topic, one for each selector, get the messages of its row and no others."""
    check_all(jms, queues, name, table)


@requirement(*INVALID)
def test_texts_that_are_no_selectors_are_refused(jms, topic):
    """createConsumer throws InvalidSelectorException for each of them."""
    session = jms.session()

    for identifier, selectors in INVALID.items():
        with judging(identifier):
            assert not_refused(session, topic, selectors) == []


@requirement("JMS-SEL-001", "JMS-SEL-003", "JMS-SEL-019", "JMS-SEL-020")
def test_selectors_that_are_made_up_choose_as_their_trees_say(jms, queues, name):
    """Of 50 messages each of 36 made-up selectors chooses those for which its tree is true."""
    random = Random("JMS-SEL")
    messages = {f"m{number}": trees.properties(random) for number in range(50)}
    made = {
        "JMS-SEL-001": {
            selector: names
            for leaf in trees.LEAVES
            for selector, names in trees.drawn_conditions(random, 2, leaf, messages).items()
        },
        "JMS-SEL-003": trees.drawn_conditions(
            random, 2, partial(trees.condition, depth=2), messages
        ),
        "JMS-SEL-019": trees.drawn_conditions(
            random, 10, partial(trees.comparison, depth=3), messages
        ),
        "JMS-SEL-020": trees.drawn_conditions(
            random, 10, partial(trees.condition, depth=4), messages
        ),
    }

    check_all(jms, queues, name, Table("made up", messages, made))


@requirement("JMS-SEL-041", "JMS-SEL-051", "JMS-SEL-061")
def test_logic_that_is_made_up_chooses_as_its_trees_say(jms, queues, name):
    """Over three booleans, true, false or missing, trees choose what three values make true."""
    random = Random("JMS-SEL")
    messages = {}
    for values in product((True, False, None), repeat=3):
        known = {key: value for key, value in zip("abc", values, strict=True) if value is not None}
        messages["".join({True: "T", False: "F", None: "U"}[value] for value in values)] = known
    made = {
        identifier: trees.drawn_conditions(
            random, 10, partial(trees.logic, depth=3, top=top), messages
        )
        for identifier, top in (
            ("JMS-SEL-041", trees.both),
            ("JMS-SEL-051", trees.either),
            ("JMS-SEL-061", trees.negated),
        )
    }

    check_all(jms, queues, name, Table("made up", messages, made))


@requirement(*CONJUNCTIONS, *DISJUNCTIONS, *NEGATIONS)
def test_three_values_are_combined_as_the_tables_of_the_specification_say(jms, queues, topic):
    """l = 1 and r = 1 are true, false or unknown of a message; what AND, OR and NOT make of them.

    A condition that is true selects the message, one that is false by NOT of it, and one that is
    unknown by neither.
    """
    operands = {"T": 1, "F": 2, "U": None}
    messages = {
        left + right: {
            key: operands[side]
            for key, side in (("l", left), ("r", right))
            if operands[side] is not None
        }
        for left in operands
        for right in operands
    }
    operations = {
        "(l = 1) AND (r = 1)": CONJUNCTIONS,
        "(l = 1) OR (r = 1)": DISJUNCTIONS,
        "NOT (l = 1)": NEGATIONS,
    }
    expected = {}
    for condition, statements in operations.items():
        outcomes = dict(statements.values())
        for selector, wanted in ((condition, "T"), (f"NOT ({condition})", "F")):
            expected[selector] = " ".join(
                pair for pair in messages if outcomes.get(pair, outcomes.get(pair[0])) == wanted
            )

    chosen = choices(jms, queues, topic, messages, expected)

    for condition, statements in operations.items():
        for identifier, (pair, value) in statements.items():
            with judging(identifier):
                name = pair.ljust(2, "T")
                sides = (chosen[condition].split(), chosen[f"NOT ({condition})"].split())
                assert [side[:1] for side in sides if "refused" in side] == []
                assert [name in side for side in sides] == [value == "T", value == "F"]


@requirement("JMS-SEL-002")
def test_empty_selector_is_none(connection, queues, queue, topic, name):
    """With '' consumers of a queue and of every kind of subscription, and a browser, get all."""
    send(connection, queue, ["one", "two"])
    until(lambda: queues.ready(queue) == 2)
    session = connection.create_session()
    with session.create_browser(queue, "") as browser:
        assert browser.message_selector in (None, "")
        assert texts(browser.enumeration) == ["one", "two"]
    of_queue = session.create_consumer(queue, "")
    assert texts(receive_all(of_queue, 2)) == ["one", "two"]
    subscribers = one_of_each(session, topic, name, "")

    sent = send(connection, topic, ["three", "four"])

    for each in subscribers:
        assert texts(receive_all(each, 2)) == sent
    assert [
        each.message_selector for each in (of_queue, *subscribers) if each.message_selector
    ] == []


@requirement("JMS-SEL-013")
def test_text_is_no_number_in_a_selector(jms, queues, topic):
    """A text of digits is neither greater than nor equal to a number; NOT of it is recorded."""
    messages = {"text": {"n": "2"}, "two": {"n": 2}, "zero": {"n": 0}}
    expected = {"n > 1": "two", "n = 2": "two", "n = '2'": "text"}
    of_unlike = "NOT (n > 1)"

    chosen = choices(jms, queues, topic, messages, {**expected, of_unlike: "text zero"})

    observe("NOT over unlike types", chosen[of_unlike])
    assert chosen_otherwise(chosen, expected) == []
    assert chosen[of_unlike] in ("text zero", "zero")


@requirement("JMS-SEL-028")
def test_texts_and_booleans_have_no_order(jms, queues, topic):
    """s > 'a' and b >= FALSE are refused or select nothing; = and <> work."""
    messages = {
        "b": {"s": "b"},
        "a": {"s": "a"},
        "true": {"b": True},
        "false": {"b": False},
        "last": {"last": True},
    }
    equal = {"s = 'a'": "a", "s <> 'a'": "b", "b <> TRUE": "false", "b = TRUE": "true"}
    ordered = dict.fromkeys(
        ("s > 'a' OR last = TRUE", "s <= 'b' OR last = TRUE", "b >= FALSE OR last = TRUE"), "last"
    )

    chosen = choices(jms, queues, topic, messages, {**equal, **ordered})

    assert chosen_otherwise(chosen, equal) == []
    refused = f"refused ({InvalidSelectorException.__name__})"
    assert [each for each in ordered if chosen[each] not in ("last", refused)] == []


@requirement("JMS-SEL-031")
def test_division_by_zero_does_not_end_the_consumer(jms, queues, topic):
    """Whatever x / 0 is, the consumer goes on to a message of which the rest of it is true."""
    selector = "last = TRUE OR x / 0 = 1"
    messages = {"seven": {"x": 7}, "last": {"last": True}}

    chosen = choices(jms, queues, topic, messages, {selector: "last"})

    observe("division by zero", chosen[selector])
    assert chosen[selector] in ("last", "seven last")


@pytest.fixture
def differing(jms, queue):
    """Ten messages on a queue whose header fields differ, and what is like a name for each."""
    producer = jms.producer(queue)
    sent = []
    for number in range(10):
        message = jms.text(str(number))
        if number != 9:
            message.jms_correlation_id = f"c{number}"
            message.jms_type = f"t{number}"
        message.jms_reply_to = queue
        mode = DeliveryMode.NON_PERSISTENT if number == 3 else DeliveryMode.PERSISTENT
        producer.send(message, priority=number, delivery_mode=mode, time_to_live=MINUTE)
        sent.append(message)
    return sent


@pytest.fixture
def browsed(jms, queues, queue, differing):
    """`browsed(selector)`: the texts of those on the queue that it selects, in alphabet.

    Some clients send without waiting, and put back what they have browsed afterwards.
    """

    def browsed(selector):
        until(lambda: queues.ready(queue) == len(differing))
        with jms.session().create_browser(queue, selector) as browser:
            return " ".join(sorted(texts(browser.enumeration)))

    return browsed


@requirement("JMS-SEL-015", "JMS-SEL-016", "JMS-SEL-037")
def test_header_fields_in_selectors(differing, browsed):
    """Browsers find messages by six header fields; by no others; and what is not there is NULL."""
    fourth = differing[4]
    same_time = [each.text for each in differing if each.jms_timestamp == fourth.jms_timestamp]
    expected = {
        "JMSDeliveryMode = 'NON_PERSISTENT'": "3",
        "JMSPriority = 4": "4",
        f"JMSMessageID = '{fourth.jms_message_id}'": "4",
        f"JMSTimestamp = {fourth.jms_timestamp}": " ".join(same_time),
        "JMSCorrelationID = 'c4'": "4",
        "JMSType = 't4'": "4",
    }
    with judging("JMS-SEL-015"):
        assert chosen_otherwise({each: browsed(each) for each in expected}, expected) == []
    absent = {
        "JMSCorrelationID IS NULL AND JMSType IS NULL": "9",
        "JMSType <> 'a'": "0 1 2 3 4 5 6 7 8",
        "JMSCorrelationID <> 'a'": "0 1 2 3 4 5 6 7 8",
    }
    with judging("JMS-SEL-016"):
        assert chosen_otherwise({each: browsed(each) for each in absent}, absent) == []
    null = {"JMSCorrelationID IS NULL": "9", "JMSType IS NULL": "9"}
    with judging("JMS-SEL-037"):
        assert chosen_otherwise({each: browsed(each) for each in null}, null) == []


@requirement("JMS-SEL-015")
@pytest.mark.parametrize(
    "selector",
    [
        "JMSReplyTo IS NOT NULL",
        "JMSDestination IS NOT NULL",
        "JMSExpiration > 0",
        "JMSRedelivered = FALSE",
    ],
    ids=lambda selector: selector.split()[0],
)
def test_other_header_fields_are_refused_or_never_match(browsed, selector):
    """A browser by another header field is refused with its selector, or finds nothing."""
    try:
        chosen = browsed(selector)
    except InvalidSelectorException:
        chosen = ""

    assert chosen == ""


@requirement("JMS-SEL-065")
def test_delivery_mode_is_a_text_in_selectors(jms, topic):
    """'PERSISTENT' selects the persistent one of two messages, 'NON_PERSISTENT' the other."""
    session = jms.session()
    modes = list(DeliveryMode)
    consumers = [
        session.create_consumer(topic, f"JMSDeliveryMode = '{mode.name}'") for mode in modes
    ]
    producer = session.create_producer(topic)

    for mode in modes * 2:
        producer.send(session.create_text_message(mode.name), delivery_mode=mode)

    for mode, each in zip(modes, consumers, strict=True):
        assert texts(receive_all(each, 2, within=5.0)) == [mode.name] * 2


@requirement("JMS-SEL-067")
def test_what_a_selector_leaves_on_a_queue_stays_for_others(jms, queues, queue):
    """A consumer of x = 1 gets four of ten, six wait, and another gets these six, each once."""
    selecting = jms.session().create_consumer(queue, "x = 1")
    sent = send_with(jms.connected, queue, TEN)
    assert texts(receive_all(selecting, 4)) == [sent[each] for each in SELECTED]

    eventually(lambda: queues.pending(queue) == 6)
    selecting.close()

    rest = jms.consumer(queue)
    left = [text for number, text in enumerate(sent) if number not in SELECTED]
    assert checks.exactly_once(left, texts(receive_all(rest, 6))) == []
    nothing_before(rest, lambda: send(jms.connected, queue, ["end"]), lambda m: m.text == "end")


@requirement("JMS-SEL-068")
def test_what_a_selector_leaves_on_a_topic_never_reaches_its_subscription(
    jms, queues, connection, topic, name
):
    """Of ten four come; nothing is kept for the subscription; a later consumer gets nothing."""
    session, label = connection.create_session(), name("s")
    with durable_consumer(session, topic, label, "x = 1") as selecting:
        sent = send_with(jms.connected, topic, TEN)
        assert texts(receive_all(selecting, 4)) == [sent[each] for each in SELECTED]
        eventually(lambda: not any(each.pending for each in queues.subscriptions(topic) or []))

    again = durable_consumer(session, topic, label, "x = 1")
    [marker] = send_with(jms.connected, topic, [{**X1, "of": "the marker"}])
    assert texts([receive(again)]) == [marker]
