"""Every wrong client can be made: what it breaks is still there."""

from __future__ import annotations

import pytest

from jms_clients.mutants.registry import all_mutants, broken_by
from pulsar_jms.mapping.security import Login


@pytest.mark.parametrize("name", sorted(all_mutants()))
def test_a_wrong_client_finds_what_it_breaks(name: str) -> None:
    mutant = all_mutants()[name]

    with mutant.apply():
        assert mutant.doc.endswith(".")
    with mutant.apply():  # what it broke was mended when it ended
        assert mutant.violates


def test_a_fault_stays_until_the_last_who_wants_it_has_ended() -> None:
    ignoring = all_mutants()["login-ignored"]
    login = Login("user", "password")
    first, second = broken_by(ignoring), broken_by(ignoring)

    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)  # not in the order of a stack

    assert not login.is_given
    second.__exit__(None, None, None)
    assert login.is_given
