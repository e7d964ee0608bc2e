"""Every wrong client can be made: what it breaks is still there."""

from __future__ import annotations

import pytest

from touchstone.mutants.registry import all_mutants


@pytest.mark.parametrize("name", sorted(all_mutants()))
def test_a_wrong_client_finds_what_it_breaks(name: str) -> None:
    mutant = all_mutants()[name]

    with mutant.apply():
        assert mutant.doc.endswith(".")
    with mutant.apply():  # what it broke was mended when it ended
        assert mutant.violates
