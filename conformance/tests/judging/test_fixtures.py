"""The plug-in gives every catalogue the fixtures of scenarios, and nobody else."""

from __future__ import annotations

from typing import Any

import pytest

MANY = """
    @requirement("TRY-ONE-001")
    def test_names(name, client_id, jms_at, at_hand):
        assert name("reply") != name("reply")
        assert at_hand.name("reply") != client_id

    @requirement("TRY-ONE-002")
    def test_log(request, log):
        assert request.getfixturevalue("at_hand").log is log
"""


def test_a_catalogue_of_somebody_else_has_the_fixtures_of_scenarios(catalogue: Any) -> None:
    judged = catalogue.scenarios(MANY).judge()

    assert judged.verdicts == {"TRY-ONE-001": "CONFORMS", "TRY-ONE-002": "CONFORMS"}, judged.output


def test_workers_have_them_too(catalogue: Any) -> None:
    judged = catalogue.scenarios(MANY).judge("-n", "2", subprocess=True)

    assert set(judged.verdicts.values()) == {"CONFORMS"}, judged.output


def test_a_catalogues_own_fixture_goes_first_and_may_ask_for_that_of_the_plug_in(
    catalogue: Any,
) -> None:
    with (catalogue.package / "conftest.py").open("a") as file:
        file.write(
            "\n\n@pytest.fixture\ndef client_id(client_id):\n    return f'own {client_id}'\n"
        )
    judged = catalogue.scenarios(
        """
        @requirement("TRY-ONE-001")
        def test_own(client_id):
            assert client_id.startswith("own ")
            assert len(client_id) > len("own ")
        """
    ).judge()

    assert judged.line["verdict"] == "CONFORMS", judged.output


def test_tests_of_anybody_else_have_none(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_mine(queue): assert queue")

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'queue' not found*"])
