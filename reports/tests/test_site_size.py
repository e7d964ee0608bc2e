"""A site of six clients with three releases each stays small, and its first page opens at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from made_site import defect, known, write_releases
from touchstone_reports.site import addresses
from touchstone_reports.site.pages import site_files

pytestmark = pytest.mark.thorough

Record = dict[str, Any]
CLIENTS = ("activemq", "artemis", "openmq", "qpid", "rabbitmq", "starlight")
RELEASES = ("1.0.0", "1.1.0", "2.0.0")
STATEMENTS = 1_060
DEFECTS = 140
"""Of each client: as many as are known of six clients in the mean."""
MOST = 15_000_000
MOST_OF_THE_FIRST_PAGE = 200_000


@pytest.fixture(scope="module")
def files(
    tmp_path_factory: pytest.TempPathFactory,
    write_run: Callable[..., Path],
    verdict: Callable[..., Record],
) -> dict[str, str]:
    """The site of all of them; the statements are of the usual length."""
    requirements: list[Record] = [
        {
            "id": f"JMS-HDR-{number:03}",
            "area": f"area-{number // 30}",
            "document": "JMS",
            "statement": "A message that was sent keeps what its sender has set. " * 3,
            "verify": "Send one with each value, receive it, compare each with what was set. " * 2,
            "strength": "must",
            "note": "",
            "observes": ["api", "wire"],
            "source": [
                {
                    "document": "spec",
                    "title": "Jakarta Messaging",
                    "address": "https://spec.example/a/long/way/to/the/specification.html",
                    "section": "3.5.9 Properties",
                }
            ],
            "scenarios": [
                {"id": f"area-{number // 30}/test_{number}_in_{case}", "shows": "It holds. " * 6}
                for case in range(2)
            ],
        }
        for number in range(STATEMENTS)
    ]
    runs = write_releases(
        tmp_path_factory.mktemp("results"),
        write_run,
        verdict,
        CLIENTS,
        RELEASES,
        requirements,
        DEFECTS,
    )
    findings = [defect(client, number) for client in CLIENTS for number in range(DEFECTS)]
    return site_files(runs, known(requirements, findings))


def test_the_whole_has_fifteen_megabytes_at_most(files: dict[str, str]) -> None:
    assert sum(path.startswith("finding/") for path in files) == len(CLIENTS) * DEFECTS + 2
    assert sum(path.startswith("requirement/") for path in files) == STATEMENTS + 1
    assert sum(len(text.encode()) for text in files.values()) <= MOST


def test_the_first_page_with_all_that_it_loads_has_two_hundred_kilobytes_at_most(
    files: dict[str, str],
) -> None:
    loaded = (addresses.OVERVIEW, addresses.STYLE, addresses.SCRIPT)
    assert sum(len(files[path].encode()) for path in loaded) <= MOST_OF_THE_FIRST_PAGE
