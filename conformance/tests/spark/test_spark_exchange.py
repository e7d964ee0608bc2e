"""What tasks hand to tasks: packed, spread by keys, divided among the tasks that link. No JVM."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jms_histories.columns import Columns, Findings, concatenate, length
from jms_histories.engines.spark import exchange, linking
from jms_histories.engines.spark.exchange import ExchangedValue, PayloadKind
from jms_histories.engines.spark.packing import pack, unpack, unpack_as
from jms_histories.kernels.links.partials import MessagePartials, SessionPartials

FINDINGS = Findings(
    rows={
        "check": np.array(["D01", "D05"]),
        "uid": np.array([1 << 62, 7]),
        "sub": np.array([0, -1], np.int32),
        "a": np.array([1, 2]),
        "b": np.array([3, 4]),
        "should": np.array([False, True]),
    },
    counts={"D01": 1, "D05": 0},
    shoulds={"D01": 0, "D05": 1},
    power={"D01": 9, "D05": 9},
)


def same(left: Columns, other: Columns) -> bool:
    return left.keys() == other.keys() and all(
        left[name].dtype == other[name].dtype and np.array_equal(left[name], other[name])
        for name in left
    )


def messages(uids: list[int]) -> MessagePartials:
    values = np.array(uids, np.int64)
    subs, ones = (values % 3).astype(np.int32), np.ones(len(uids), np.int64)
    byte = np.ones(len(uids), np.int8)
    return MessagePartials(
        FINDINGS,
        skippable=5,
        lost={"uid": values, "sub": subs, "key": subs, "priority": byte, "mode": byte},
        identities={"mid64": values // 2, "uid": values},
        inputs={"uid": values, "sub": subs},
        outputs={"cause": values, "outputs": ones, "visible": ones},
    )


def test_partial_results_come_back_as_they_went() -> None:
    partials = messages([5, 1 << 61, 0])
    unpacked_partials = unpack_as(MessagePartials, pack(partials))

    assert unpacked_partials.findings.counts == FINDINGS.counts
    assert unpacked_partials.skippable == 5
    for name in ("lost", "identities", "transactions", "outputs"):
        assert same(getattr(unpacked_partials, name), getattr(partials, name)), name
    assert same(unpacked_partials.findings.rows, FINDINGS.rows)
    assert same(unpack_as(Findings, pack(FINDINGS)).rows, FINDINGS.rows)


@contextmanager
def no_collector() -> Iterator[None]:
    """Only what nobody names any more goes; what is in a cycle stays."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def test_what_was_packed_and_unpacked_goes_with_its_last_name() -> None:
    """A cycle would keep the rows of many batches: the collector counts objects, not bytes."""
    with no_collector():
        values = np.arange(1000)
        packed_ = weakref.ref(values)
        content = pack({"inner": {"values": values}, "number": 1})
        del values
        assert packed_() is None
        unpacked_value = unpack(content)
        unpacked_ = weakref.ref(unpacked_value["inner"]["values"])
        assert unpacked_() is not None
        del unpacked_value
        assert unpacked_() is None


def test_a_batch_travels_with_the_rows_that_it_was_made_of_let_go() -> None:
    each = exchange.BATCH_BYTES // 8
    tracemalloc.start()
    try:
        sent = (ExchangedValue(key, PayloadKind.SENDS, bytes(each)) for key in range(32))
        held = [tracemalloc.get_traced_memory()[0] for _ in exchange.batches(sent)]
    finally:
        tracemalloc.stop()

    assert len(held) == 5
    assert max(held) < exchange.BATCH_BYTES + 2 * each


def test_rows_come_out_of_batches_as_they_went_in() -> None:
    rows = [
        ExchangedValue(-5, PayloadKind.TASK, b""),
        ExchangedValue(1 << 62, PayloadKind.SENDS, b"abc"),
        ExchangedValue(0, PayloadKind.REDUCED, b"\0"),
    ]

    assert list(exchange.rows([exchange.batch(rows), exchange.batch([])])) == rows


@given(
    st.dictionaries(
        st.text(max_size=5).filter(lambda name: name != "$"),
        st.one_of(
            st.integers(-(2**53), 2**53),
            st.text(max_size=5),
            st.lists(st.integers(0, 255), max_size=9).map(lambda rows: np.array(rows, np.uint8)),
            st.lists(st.booleans(), max_size=9).map(lambda rows: np.array(rows, np.bool_)),
        ),
        max_size=5,
    )
)
def test_any_tree_comes_back(tree: dict[str, object]) -> None:
    unpacked_value = unpack(pack({"inner": tree}))["inner"]

    assert unpacked_value.keys() == tree.keys()
    for name, value in tree.items():
        if isinstance(value, np.ndarray):
            assert unpacked_value[name].dtype == value.dtype
            assert unpacked_value[name].tolist() == value.tolist()
        else:
            assert unpacked_value[name] == value


@given(st.lists(st.integers(0, 2**62), max_size=30), st.integers(1, 5))
def test_each_row_goes_to_one_task_and_what_meets_to_the_same(uids: list[int], tasks: int) -> None:
    whole = messages(uids)
    parts = linking.divide(whole, tasks)

    assert len(parts) == tasks
    assert sum(part.skippable for part in parts) == 5
    assert sum(length(part.findings.rows) for part in parts) == 2
    for name in ("lost", "identities", "inputs", "outputs"):
        column = "cause" if name == "outputs" else "uid"
        rows = concatenate([getattr(part, name) for part in parts])
        assert sorted(rows[column].tolist()) == sorted(uids)
    for part in parts:  # an input meets its outputs, a message id its twins
        for other in parts:
            if part is not other:
                assert not set(part.inputs["uid"].tolist()) & set(other.outputs["cause"].tolist())
                ids = set(part.identities["mid64"].tolist())
                assert not ids & set(other.identities["mid64"].tolist())


def test_lost_messages_meet_the_scopes_of_their_producer() -> None:
    lost = messages([(producer << 40) + 9 for producer in range(50)])
    scopes = SessionPartials(FINDINGS).scopes | {
        "sub": lost.lost["sub"],
        "producer": np.arange(50, dtype=np.int64),
    }
    scopes = {
        name: values if len(values) else np.zeros(50, values.dtype)
        for name, values in scopes.items()
    }
    sessions = linking.divide(SessionPartials(FINDINGS, scopes=scopes), 4)

    skipped = 0
    for mine, theirs in zip(linking.divide(lost, 4), sessions, strict=True):
        producers = (mine.lost["uid"] >> 40).tolist()
        assert producers == theirs.scopes["producer"].tolist()
        skipped += bool(producers)
    assert skipped > 1, "all went to one task"


def test_rows_are_spread_by_key_and_gathered_again() -> None:
    rows = {"uid": np.arange(200_000), "t": np.arange(200_000)[::-1].copy()}
    keys = rows["uid"] % 3
    sent = list(exchange.address_rows("delivery", rows, keys))
    assert all(len(unpack(row.payload)["uid"]) <= exchange.PAYLOAD_ROWS for row in sent)

    arrived = list(
        exchange.rows(exchange.batches([*sent, ExchangedValue(9, PayloadKind.FINDINGS, b"x")]))
    )
    assert arrived == [*sent, ExchangedValue(9, PayloadKind.FINDINGS, b"x")]

    for key, payloads in exchange.gather_by_key(arrived):
        if key == 9:
            assert payloads == {PayloadKind.FINDINGS: [b"x"]}
            continue
        parts = [unpack(payload) for payload in payloads[PayloadKind.DELIVERIES]]
        assert np.array_equal(np.concatenate([part["uid"] for part in parts]), rows["uid"][key::3])
        assert np.array_equal(np.concatenate([part["t"] for part in parts]), rows["t"][key::3])


def test_nothing_to_hand_on_is_an_empty_batch() -> None:
    assert (
        list(exchange.address_rows("send", {"uid": np.zeros(0, np.int64)}, np.zeros(0, np.int64)))
        == []
    )
    [batch] = exchange.batches([])
    assert batch.num_rows == 0
    assert length(exchange.table("send", [])) == 0


@pytest.mark.parametrize("tasks", [1, 2, 7])
def test_places_are_tasks(tasks: int) -> None:
    places = linking.place((np.arange(1000), np.full(1000, -1)), tasks)

    assert places.max() < tasks
    assert len(np.unique(places)) == tasks
