"""A program of a control: the same calls, of a ConnectionFactory that is made as in its own run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jvm_runtime.locks import Lock
from reproducing.traces_by_hand import Trace, made
from touchstone.errors import UsageError
from touchstone.reproducing.control import Control, made_in
from touchstone.reproducing.difference import signs
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.plan import plan
from touchstone.reproducing.recording import recording


def trace_of(url: str, name: str, factory: int, *settings: tuple[str, Any]) -> Trace:
    """A trace of a client: its factory, what is set of it, a connection and a session."""
    trace = Trace()
    sessions, trace.lines = trace.lines, []
    trace.note({"java": "at", "url": url})
    event = {"java": "new", "method": f"org.{name}.{name}Factory", "given": [], "until": 0}
    trace.note(event | {"got": made(factory)})
    for method, value in settings:
        trace.call(f"{name}Factory", factory, method, value)
    trace.call("ConnectionFactory", factory, "createConnection", gives=made(9))
    trace.held(9, "Connection")
    trace.lines += sessions[1:]
    return trace


def test_the_factory_is_the_controls_at_the_place_of_whoever_runs_it(tmp_path: Path) -> None:
    accused = trace_of("a://127.0.0.1:4711", "Aa", 8, ("setSilent", {"boolean": True}))
    accused.call("Session", 10, "getAcknowledgeMode", gives={"int": "3"})
    file = tmp_path / "b.jsonl"
    settings = [("setUrl", {"String": "b://127.0.0.1:99/x"}), ("setPort", {"int": "99"})]
    file.write_text("\n".join(trace_of("b://127.0.0.1:99", "Bb", 80, *settings).lines))
    factory = made_in(file)
    assert factory is not None
    lock = Lock("b", ())
    control = Control("b 1.0", {}, "jakarta.jms", lock, frozenset(), *factory)

    recorded = control.calls(recording(accused.lines))

    decided = signs("assert 3 == 1", "3", recorded)
    text = JavaProgram(plan(recorded, decided), "jakarta.jms", ["It."]).text
    assert "org.Aa" not in text
    assert "setSilent" not in text
    made_of_b = text[text.index("org.Bb.BbFactory factory1") : text.index("createSession")]
    assert [line.strip() for line in made_of_b.splitlines()[:4]] == [
        "org.Bb.BbFactory factory1 = new org.Bb.BbFactory();",
        'factory1.setUrl("b://" + HOST + ":" + PORT + "/x");',
        "factory1.setPort(PORT);",
        "Connection connection1 = factory1.createConnection();",
    ]
    assert 'gives("session1.getAcknowledgeMode()", () -> session1.getAcknowledgeMode(), 3);' in text


def test_a_trace_with_two_factories_or_none_does_not_show_how_one_is_made(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    trace = trace_of("a://127.0.0.1:1", "Aa", 8)
    file.write_text("\n".join(trace.lines))
    assert made_in(file) is not None
    event = {"java": "new", "method": "org.Aa.AaFactory", "given": [], "got": made(7), "until": 0}
    trace.note(event)
    file.write_text("\n".join(trace.lines))
    assert made_in(file) is None
    file.write_text(json.dumps({"at": 0.1, "event": "call"}))
    assert made_in(file) is None


def test_a_folder_that_is_no_run_is_no_control(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no finished run"):
        Control.of_run(tmp_path)
