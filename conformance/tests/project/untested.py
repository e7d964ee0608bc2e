"""What `make test` leaves out where the machine lacks something, with what brings it.

As a program it says so in one table: `python conformance/tests/project/untested.py PROVIDER…`
with the clients that were to be judged. Where `CI` is set nothing may be lacking: its status is 1.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping

from jms_clients.readiness import obstacle
from jms_clients.registry import load_provider

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NO_CHROMIUM = "no Chromium on this machine; 'apt-get install chromium' brings it"
NPM = shutil.which("npm")
NO_NPM = "no npm on this machine; 'apt-get install npm' brings it"


def untested(providers: Iterable[str]) -> Mapping[str, str]:
    """What is not tested here and why, with what brings it."""
    reasons = {
        "pages in a browser": "" if CHROMIUM else NO_CHROMIUM,
        "workflows": "" if NPM else NO_NPM,
        **{f"scenarios on {name}": obstacle(load_provider(name)) for name in providers},
    }
    return {what: why for what, why in reasons.items() if why}


def main(providers: Iterable[str]) -> int:
    """Print the table, if there is anything to say."""
    lacking = untested(providers)
    if not lacking:
        return 0
    width = max(map(len, lacking))
    in_ci = bool(os.environ.get("CI"))
    lines = [
        " not tested on this machine ".center(80, "="),
        *(f"{what:{width}}  {why}" for what, why in lacking.items()),
        *(["CI is set: there nothing may be lacking"] if in_ci else []),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(in_ci)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
