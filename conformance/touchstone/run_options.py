"""The options of a run, as data: pytest's plug-in registers them, the command line shows them.

Nothing is imported here that not everybody has loaded: the plug-in is in every process of pytest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CLIENT = "the client"
BROKER = "the broker"
SELECTION = "which scenarios"
DRAWN = "drawn programs"
COURSE = "how they are run"
STATUS = "what fails the run"
RESULTS = "what is written"


@dataclass(frozen=True)
class RunOption:
    """An option that has a value where nothing in `how` (of argparse) says otherwise."""

    name: str
    subject: str
    help: str
    how: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dest(self) -> str:
        """The attribute of pytest's options that has its value."""
        name = self.name.removeprefix("--touchstone-").strip("-").replace("-", "_")
        return f"touchstone_{name}"


def _option(subject: str, name: str, text: str, **how: Any) -> RunOption:
    return RunOption(name, subject, text, how)


_MANY: Mapping[str, Any] = {"action": "append", "default": []}
_FLAG: Mapping[str, Any] = {"action": "store_true"}

RUN_OPTIONS = (
    _option(
        CLIENT,
        "--provider",
        "the client under test: name[/variant][@version]",
        default="reference",
        metavar="NAME",
    ),
    _option(CLIENT, "--as-shipped", "the client's defaults and the address alone", **_FLAG),
    _option(
        CLIENT,
        "--setting",
        "a setting of the client, for all of its connections",
        metavar="NAME=VALUE",
        **_MANY,
    ),
    _option(
        CLIENT,
        "--java",
        "the Java of the client, such as 21 (default: the newest that its vendor supports)",
        metavar="RELEASE",
    ),
    _option(
        BROKER,
        "--broker",
        "embedded, embedded:VERSION (`touchstone doctor` lists them), container, detached:NAME "
        "(of `touchstone broker start`), or the service URL of a broker; FAMILY=… for one family "
        "of brokers",
        metavar="WHICH",
        **_MANY,
    ),
    _option(BROKER, "--admin-url", "the admin URL of an external broker", metavar="URL"),
    _option(
        BROKER,
        "--token-file",
        "a file with the harness's token for an external broker",
        metavar="FILE",
    ),
    _option(
        BROKER,
        "--tls-trust-certs",
        "PEM file of the authority that an external broker is signed by",
        metavar="FILE",
    ),
    _option(BROKER, "--offline", "download nothing", **_FLAG),
    _option(SELECTION, "--requirement", "only scenarios that judge this id", metavar="ID", **_MANY),
    _option(SELECTION, "--scenario", "only this one, by its id", metavar="ID", **_MANY),
    _option(SELECTION, "--area", "only scenarios of this area", metavar="AREA", **_MANY),
    _option(SELECTION, "--document", "only scenarios of this document", metavar="PREFIX", **_MANY),
    _option(
        SELECTION,
        "--sample",
        "at most so many scenarios of each area, by the seed",
        type=int,
        metavar="N",
    ),
    _option(
        SELECTION,
        "--draw",
        "at most so many scenarios in all, drawn by the seed",
        type=int,
        metavar="N",
    ),
    _option(
        SELECTION,
        "--touchstone-seed",
        "the seed of order and values (default: a new one)",
        type=int,
        metavar="SEED",
    ),
    _option(DRAWN, "--drawn", "the scenarios that judge drawn programs, too", **_FLAG),
    _option(
        DRAWN,
        "--touchstone-hunt",
        "seconds more for drawn programs",
        type=float,
        default=0.0,
        metavar="SECONDS",
    ),
    _option(
        DRAWN,
        "--touchstone-replay",
        "only drawn programs of this seed",
        type=int,
        metavar="SEED",
    ),
    _option(
        DRAWN,
        "--touchstone-shows",
        "only drawn programs that end so",
        metavar="MESSAGE",
        **_MANY,
    ),
    _option(
        COURSE,
        "--touchstone-timeout",
        "seconds for a scenario (default: 60)",
        type=float,
        default=60.0,
        metavar="SECONDS",
    ),
    _option(STATUS, "--deviations", "a further file of known deviations", metavar="FILE", **_MANY),
    _option(
        STATUS,
        "--allow-inconclusive",
        "exit with 0 although scenarios could not judge, and why",
        metavar="REASON",
    ),
    _option(STATUS, "--strict-should", "a violated should fails the run", **_FLAG),
    _option(
        RESULTS,
        "--results-dir",
        "where runs are written (default: results)",
        default="results",
        metavar="DIR",
    ),
    _option(RESULTS, "--no-reports", "write verdicts and nothing for people", **_FLAG),
    _option(RESULTS, "--all-traces", "keep the traces of what conforms, too", **_FLAG),
)
"""Those that people give."""
BETWEEN_PROCESSES = (
    _option(
        BROKER, "--brokers-of", "a folder in which another process has left word of its brokers"
    ),
    _option(
        COURSE,
        "--resume",
        "the folder of a run of the same options that did not finish: it goes on",
    ),
)
"""Those that one process of Touchstone gives another."""
OF_PYTEST = (
    _option(COURSE, "-n", "so many workers; auto: what the machine has room for", metavar="N"),
    _option(COURSE, "-x", "end at the first that fails", **_FLAG),
    _option(COURSE, "-v", "a line for each scenario", **_FLAG),
    _option(SELECTION, "-k", "only those whose names match", metavar="EXPRESSION"),
    _option(RESULTS, "--alluredir", "write Allure's results there", metavar="DIR"),
)
"""Those of pytest and its plug-ins that runs are given most; it has many more."""
