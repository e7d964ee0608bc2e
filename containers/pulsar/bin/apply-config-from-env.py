#!/usr/bin/env python3
"""Puts variables of the environment into `.conf` files, by the rules of Pulsar's own image.

NAME=value sets a key that the file has; PULSAR_PREFIX_NAME=value sets or adds the key NAME.
"""

import os
import sys
from pathlib import Path

PREFIX = "PULSAR_PREFIX_"


def applied(text: str, environment: dict[str, str]) -> str:
    """Returns the file `text` with what `environment` sets."""
    lines = text.splitlines()
    keys = {
        line.partition("=")[0].strip(): number
        for number, line in enumerate(lines)
        if "=" in line and not line.lstrip().startswith("#")
    }
    wanted = {key: environment[key] for key in keys if key in environment}
    for name, value in environment.items():
        if name.startswith(PREFIX):
            wanted[name.removeprefix(PREFIX)] = value
    for key, value in sorted(wanted.items()):
        line = f"{key}={value}"
        if key in keys:
            lines[keys[key]] = line
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        file = Path(name)
        file.write_text(
            applied(file.read_text(encoding="utf-8"), dict(os.environ)), encoding="utf-8"
        )
