"""How an exchange is judged, what entries explain of it, and what may be asked for."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path

import pytest

from jms_brokers.shared.settings import BrokerSettings
from jms_clients.errors import ProviderError
from touchstone.catalogue import load_library
from touchstone.catalogue.deviation_files import load_deviations, read_deviations
from touchstone.catalogue.deviations import Deviation, Subject
from touchstone.errors import HarnessError, UsageError
from touchstone.interop.expectations import read_by_jms, when_sent
from touchstone.interop.judging import PairExchange, PairSide, compared, explained, stale, unless
from touchstone.interop.pairs import EVERYBODY, Pair, sample_exchanges
from touchstone.interop.parts import Reading, SendRecord
from touchstone.interop.running import PairRequest, check, clients_of, names_of_exchanges
from touchstone.interop.samples import samples
from touchstone.verdicts import Verdict

SAMPLES = samples("tenant/space")
SENT = SendRecord(1_000, 1_002, "ID:1:2:-1")
LIBRARY = load_library()


def subject(provider: str, version: str = "1") -> Subject:
    return Subject(provider, version, "native", "pulsar", "4.0.7")


def entry(**changes: object) -> Deviation:
    fields = {
        "file": "file.toml",
        "provider": "one",
        "requirement": "SLJ-PRIO-003",
        "message": "JMSPriority is * instead of 9",
        "kind": "known-defect",
        "reason": "It is so.",
        "link": "",
        "date": datetime.date(2026, 11, 22),
        "scenario": "exchange/priority-9",
    }
    return Deviation(**{**fields, **changes})  # type: ignore[arg-type]


ONE, OTHER = PairSide("one", subject("one")), PairSide("other", subject("other"))


def exchanges(
    reading: Reading, sent: SendRecord = SENT, known: tuple[Deviation, ...] = ()
) -> list[PairExchange]:
    pair = Pair(ONE, OTHER, known)
    return list(sample_exchanges(pair, "q", SAMPLES, {"priority-9": sent}, reading))


def right_view() -> dict[str, str]:
    expected = read_by_jms(SAMPLES["priority-9"], SENT, "q")
    times = {when_sent(): "1001"}
    return {field: times.get(value, value) for field, (value, _) in expected.items()}


def test_a_message_that_is_seen_as_it_has_to_be_conforms() -> None:
    message, rest = exchanges(Reading({"priority-9": [right_view()]}, whole=True))
    assert message.verdict is Verdict.CONFORMS
    assert rest.verdict is Verdict.CONFORMS
    assert len(message.requirements) == len(right_view()) + 1


@pytest.mark.parametrize(
    ("reading", "sent", "message"),
    [
        (Reading(), SENT, "arrived is never instead of once"),
        (Reading(errors=["JMSException: no"]), SENT, "arrived is JMSException: no instead of once"),
        (Reading({"priority-9": [{}, {}]}), SENT, "arrived is 2 times instead of once"),
        (
            Reading(),
            SendRecord(error="JMSException: full"),
            "sent is JMSException: full instead of yes",
        ),
        (
            Reading({"priority-9": [{**right_view(), "JMSPriority": "4"}]}),
            SENT,
            "JMSPriority is 4 instead of 9",
        ),
        (
            Reading({"priority-9": [{k: v for k, v in right_view().items() if k != "body"}]}),
            SENT,
            'body is absent instead of "h"',
        ),
    ],
)
def test_what_goes_wrong_violates(reading: Reading, sent: SendRecord, message: str) -> None:
    first = exchanges(reading, sent)[0]
    assert first.verdict is Verdict.VIOLATES
    assert first.reason == message


def test_an_exception_is_booked_on_a_message_only_where_no_other_can_be_meant() -> None:
    names = ("priority-8", "priority-9")
    reading = Reading(errors=["JMSException: no"])
    sent = dict.fromkeys(names, SENT)
    found = list(sample_exchanges(Pair(ONE, OTHER, ()), "q", SAMPLES, sent, reading))
    assert [each.reason for each in found][:2] == ["arrived is never instead of once"] * 2


@pytest.mark.parametrize(
    ("waited", "verdict"), [(59_999, Verdict.VIOLATES), (60_000, Verdict.INCONCLUSIVE)]
)
def test_a_message_that_is_read_behind_its_life_is_not_judged(
    waited: int, verdict: Verdict
) -> None:
    reading = Reading(until=SENT.since + waited)
    sent = {"time-to-live-minute": SENT}
    first, _ = sample_exchanges(Pair(ONE, OTHER, ()), "q", SAMPLES, sent, reading)
    assert first.verdict is verdict


@pytest.mark.parametrize("whole", [True, False])
def test_a_message_of_nobody_violates(*, whole: bool) -> None:
    assert exchanges(Reading(unknown=[{}], whole=whole))[1].verdict is Verdict.VIOLATES


def test_that_nothing_else_came_is_open_where_the_last_message_did_not() -> None:
    failed = SendRecord(error="JMSException: full")
    read = Reading({"priority-9": [right_view()]}, errors=["JMSException: no"])

    assert exchanges(Reading(whole=True), failed)[1].verdict is Verdict.CONFORMS
    for rest in (exchanges(Reading(), failed)[1], exchanges(read)[1]):
        assert rest.verdict is Verdict.INCONCLUSIVE
        assert str(rest.reason).startswith("the last message")
    assert str(rest.reason).endswith("; JMSException: no")


@pytest.mark.parametrize(
    ("known", "verdict"),
    [
        (entry(), Verdict.DEVIATES),
        (entry(role="producer"), Verdict.DEVIATES),
        (entry(role="consumer"), Verdict.VIOLATES),
        (entry(provider="other", role="consumer"), Verdict.DEVIATES),
        (entry(provider="third"), Verdict.VIOLATES),
        (entry(scenario="exchange/priority-*"), Verdict.DEVIATES),
        (entry(scenario="exchange/priority-9[JMSPriority]"), Verdict.DEVIATES),
        (entry(scenario="exchange/priority-9[body]"), Verdict.VIOLATES),
        (entry(scenario="exchange/priority-8"), Verdict.VIOLATES),
        (entry(scenario=""), Verdict.VIOLATES),
        (entry(message="JMSPriority is 5 instead of 9"), Verdict.VIOLATES),
        (entry(requirement="SLJ-PRIO-001"), Verdict.VIOLATES),
    ],
    ids=lambda value: str(getattr(value, "scenario", value)),
)
def test_an_entry_explains_exactly_what_it_names(known: Deviation, verdict: Verdict) -> None:
    (difference,) = compared({"JMSPriority": ("9", "SLJ-PRIO-003")}, {"JMSPriority": "4"})
    (told_,) = explained([difference], "priority-9", ONE, OTHER, [known])
    assert told_.verdict is verdict


def test_an_entry_that_explains_nothing_is_stale_where_all_was_judged() -> None:
    known = entry()
    reading = Reading({"priority-9": [right_view()]})
    judged = exchanges(reading, known=(known,))
    wrong = {**right_view(), "JMSPriority": "4"}
    needed = exchanges(Reading({"priority-9": [wrong]}), known=(known,))
    unjudged = PairExchange(
        "priority-9", "one", "other", dict(judged[0].requirements), unjudged="gone"
    )

    assert stale([known], judged, (ONE, OTHER)) == [known]
    assert stale([known], needed, (ONE, OTHER)) == []
    assert stale([known], [*judged, unjudged], (ONE, OTHER)) == []
    assert stale([entry(provider="third")], judged, (ONE, OTHER)) == []


def wanted(**changes: object) -> PairRequest:
    fields = {
        "clients": ("reference",),
        "exchanges": (),
        "results": Path("results"),
        "broker": BrokerSettings(),
    }
    return PairRequest(**{**fields, **changes})  # type: ignore[arg-type]


def test_shipped_entries_name_exchanges_that_there_are() -> None:
    known = load_deviations(LIBRARY)
    assert any(each.of_exchange for each in known)
    check(wanted(), known)


@pytest.mark.parametrize(
    ("asked", "known", "error", "says"),
    [
        (wanted(exchanges=("no-such",)), (), UsageError, "There is no exchange 'no-such'"),
        (wanted(clients=("a", "a")), (), UsageError, "a is named twice"),
        (wanted(), (entry(scenario="exchange/none-9"),), HarnessError, "there is no such exchange"),
        (wanted(), (entry(scenario="exchange/none-*"),), HarnessError, "there is no such exchange"),
    ],
)
def test_what_there_is_not_is_refused(
    asked: PairRequest, known: tuple[Deviation, ...], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        check(asked, known)


def test_a_client_of_another_broker_is_refused() -> None:
    with pytest.raises(ProviderError, match="family artemis"):
        clients_of(["qpid"], "4.0.7")


def test_a_role_is_one_of_two(tmp_path: Path) -> None:
    path = tmp_path / "d.toml"
    path.write_text(
        '[[deviation]]\nprovider = "one"\nrequirement = "SLJ-PRIO-003"\nmessage = "x"\n'
        'class = "known-defect"\nreason = "y"\ndate = 2026-11-22\nrole = "reader"\n'
    )
    with pytest.raises(HarnessError, match="unknown role 'reader'"):
        read_deviations(path, LIBRARY)


def test_names_are_unique() -> None:
    assert max(Counter(names_of_exchanges()).values()) == 1
    assert len(set(EVERYBODY)) == 5


def test_what_something_else_may_have_caused_is_not_judged() -> None:
    differing = PairExchange(
        "text", "a", "b", {"body": "SLJ-BODY-001"},
        compared({"body": ("one", "SLJ-BODY-001")}, {"body": "two"}),
    )  # fmt: skip
    same = PairExchange("text", "a", "b", {"body": "SLJ-BODY-001"})

    assert unless(None, differing).verdict is Verdict.VIOLATES
    assert unless("the clock was set", same).verdict is Verdict.CONFORMS
    doubtful = unless("the clock was set", differing)
    assert doubtful.verdict is Verdict.INCONCLUSIVE
    assert doubtful.reason == f"{differing.reason}; the clock was set"
    assert doubtful.differences == ()
