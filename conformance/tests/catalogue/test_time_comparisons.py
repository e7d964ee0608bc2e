"""Scenarios compare times by touchstone.api.bounded, or not at all."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

import jms_scenarios
from catalogue.time_comparisons import comparisons

ROOT = Path(jms_scenarios.__file__).parent
EXCEPTIONS = {
    "core/surviving.py take_all": "waits on, as long as something comes",
    "core/browser/test_browser.py test_browser_hides_a_message_until_its_delivery_time": (
        "once what is due may be listed, that is no fault any more"
    ),
    "moments.py wait_until": "waits",
    "poisoned.py received_by": "waits on, as long as something comes",
    "rabbitmq/browser/test_meanwhile.py _consume": "waits on, as long as something comes",
    "selecting.py choices": "waits on, as long as something comes",
    "starlight/redelivery/test_backoff.py waits": "finds the request that followed",
    "starlight/temporary/test_temporary.py "
    "test_nothing_deletes_the_destinations_of_a_killed_client": "looks again for a minute",
}
"""Comparisons that accuse nobody, and why."""


def test_no_scenario_compares_times_by_itself() -> None:
    texts = {
        f"{path.relative_to(ROOT)} {each.function}": each.text
        for path in ROOT.rglob("*.py")
        for each in comparisons(path.read_text())
    }
    assert {name: text for name, text in texts.items() if name not in EXCEPTIONS} == {}
    assert EXCEPTIONS.keys() - texts.keys() == set()


@pytest.mark.parametrize(
    "body",
    [
        "assert time.monotonic() - begun <= 1.0",
        "begun = now()\nended = now()\nassert begun + 500 - 2 <= ended <= begun + 510",
        "start = perf_counter()\ntook = perf_counter() - start\nfast = took\nassert fast < 3",
        "assert watched.times[1] - watched.times[0] >= 1.0",
        "assert long.seconds - short.seconds == pytest.approx(1.99, abs=0.1)",
        "assert max(run.end for run in runs) - min(run.start for run in runs) < 3.0",
        "assert message.jms_expiration > now()",
        "assert message.jms_delivery_time - message.jms_timestamp < 2000",
        "rows = []\nrows.append((text, now()))\nassert rows[0][1] < due",
        "assert self.taken() < due\ndef taken(self):\n    return time.time()",
    ],
)
def test_a_comparison_of_times_is_found(body: str) -> None:
    assert list(comparisons(f"def scenario():\n{indent(body, '    ')}"))


@pytest.mark.parametrize(
    "body",
    [
        "before = now()\nafter = now()\nassert before + 5 <= sent.jms_expiration <= after + 5",
        "assert message.jms_timestamp == received.jms_timestamp > 0",
        "rows = [(text, now())]\nassert len(rows) >= 1",
        "connection.start()\nassert count < 3",
        "bounded(call.seconds, at_most=1.0, slack=call.slack)",
    ],
)
def test_what_a_slow_machine_cannot_spoil_is_none(body: str) -> None:
    assert list(comparisons(f"def scenario():\n{indent(body, '    ')}")) == []
