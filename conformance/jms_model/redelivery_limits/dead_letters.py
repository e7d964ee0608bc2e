"""What is set aside, where it is then, what it holds, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

from jms_model.answers import are_same, gives_what
from jms_model.redelivery_limits.cases import TIME_OUT, Case
from jms_model.redelivery_limits.facts import Fact, fact, holds
from jms_model.redelivery_limits.seen import Body, CaseObservation
from jms_model.redelivery_limits.settings import DEFAULT_LETTERS, ConsumerSettings


def dead_letters(
    case: Case, settings: ConsumerSettings, seen: CaseObservation, default: str
) -> Iterator[Fact]:
    """Those of a case; `default` is the dead letter topic by Pulsar's name."""
    dead = [n for n, _ in enumerate(case.messages) if case.dies(n, settings)]
    for number, sent in enumerate(case.messages):
        if number in dead:
            yield from _letter(case, settings, seen, number, default)
        elif settings.policy is None:
            kept = not seen.letters.get(number)
            yield holds("stays", number, kept, ["SLJ-DLQ-013"], "without a policy")
        elif not sent.rejected and case.shared and _is_acknowledged(case, seen, number):
            kept = not seen.letters.get(number)
            yield holds("stays", number, kept, ["SLJ-DLQ-011"], "once acknowledged")
    arrived = [number for number in dead if seen.letters.get(number)]
    if arrived:
        yield from _what_follows(case, seen, arrived)
        yield from _subscription(settings, seen, case, arrived)


def _is_acknowledged(case: Case, seen: CaseObservation, number: int) -> bool:
    came = seen.of(number)
    return len(came) == case.messages[number].fails + 1


def _letter(
    case: Case, settings: ConsumerSettings, seen: CaseObservation, number: int, default: str
) -> Iterator[Fact]:
    policy, topics = settings.policy, seen.letters.get(number, [])
    assert policy is not None
    sent = case.messages[number]
    named = policy.letters != DEFAULT_LETTERS
    right = policy.letters if named else default
    if sent.rejected:
        of_filter = {"selector": ["SLJ-DLQ-012", "SLJ-SEL-009"], "noLocal": ["SLJ-NLOC-004"]}
        ids, situation = of_filter[case.filtered], f"that a {case.filtered} always rejects"
    elif case.way == TIME_OUT:
        ids, situation = ["SLJ-DLQ-008", "SLJ-DLQ-005"], "that always times out"
    else:
        ids, situation = ["SLJ-DLQ-009", "SLJ-DLQ-005"], "that is always rejected"
    came = seen.of(number)
    if not topics and len(came) != case.deliveries(number, settings):
        return
    if not topics and right in seen.nameless:
        yield holds("letter", number, False, ["SLJ-DLQ-005"], "without its properties")
        return
    yield holds("is_set_aside", number, bool(topics), ids, situation)
    if not topics:
        return
    yield holds(
        "topic",
        number,
        {*topics} == {right},
        ["SLJ-DLQ-001", "SLJ-DLQ-003"] if named else ["SLJ-DLQ-001"],
        "that is named" if named else "by default",
        broken=["SLJ-DLQ-003"] if named else ["SLJ-DLQ-001"],
    )
    body = Body(sent.kind, sent.content, sent.properties)
    if number in seen.read and not (came and _differ(came[0].body, body)):
        what = _difference(seen.read[number], body)
        yield fact(
            "letter",
            number,
            what,
            gives_what("its content and properties", lambda difference: not difference),
            ["SLJ-DLQ-005"],
            f"of a {sent.kind} message",
            name=lambda difference: f"has {difference}",
        )
    elif number not in seen.read and {*topics} == {right}:
        yield holds("letter", number, False, ["SLJ-DLQ-005"], "for a consumer")


def _difference(first: Body, second: Body) -> str:
    """What is not the same, in words."""
    if first.kind != second.kind:
        return "another kind"
    if not are_same(first.content, second.content):
        return "another content"
    return "" if are_same(dict(first.properties), dict(second.properties)) else "other properties"


def _differ(first: Body, second: Body) -> bool:
    return bool(_difference(first, second))


def _what_follows(case: Case, seen: CaseObservation, arrived: list[int]) -> Iterator[Fact]:
    """What comes behind a dead letter, and that it does not come any more."""
    for number in arrived:
        late = [each for each in (*seen.of(number), *seen.taken) if each.letters]
        again = any(each.number == number for each in late)
        yield holds("is_gone", number, not again, ["SLJ-DLQ-007"], "once set aside")
    others = [n for n, s in enumerate(case.messages) if not s.rejected and n not in arrived]
    for number in others:
        if case.messages[number].fails:
            continue
        yield holds(
            "comes", number, bool(seen.of(number)), ["SLJ-DLQ-006"], "beside what is set aside"
        )
    yield holds("comes", -1, seen.went_on, ["SLJ-DLQ-006"], "behind what was set aside")
    if seen.went_on and seen.backlog <= len(arrived):
        yield holds(
            "backlog", -1, not seen.backlog, ["SLJ-DLQ-007"], "where messages were set aside"
        )


def _subscription(
    settings: ConsumerSettings, seen: CaseObservation, case: Case, arrived: list[int]
) -> Iterator[Fact]:
    """That of the dead letter topic, if one is named."""
    policy = settings.policy
    if policy is None or not policy.subscription:
        return
    topics = {topic for number in arrived for topic in seen.letters[number]}
    for topic in sorted(topics):
        subscription = seen.subscriptions.get(topic, {}).get(policy.subscription)
        own = sum(seen.letters[number].count(topic) for number in arrived)
        kept = subscription is not None and subscription.durable and own <= subscription.backlog
        state = "none" if subscription is None else "kept" if kept else "one that has not kept them"
        yield fact(
            "subscription",
            -1,
            state,
            gives_what("a durable one with the dead letters", lambda state: state == "kept"),
            ["SLJ-DLQ-004"],
            "of the dead letter topic",
            name=lambda state: f"is {state}",
        )
