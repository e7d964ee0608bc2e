"""`python -m containers [NAME ...]`: makes these images, or all of them."""

from __future__ import annotations

import sys

from containers.building import build_all
from containers.recipes import recipes
from jms_brokers.errors import HintedError
from jvm_runtime.jvm_errors import JvmRuntimeError


def main(names: list[str]) -> int:
    """Make the images of these names, all without any; return the exit status."""
    known = recipes()
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"There is no image {unknown[0]!r}; there are {', '.join(known)}", file=sys.stderr)
        return 3
    try:
        build_all([known[name] for name in names or known])
    except (HintedError, JvmRuntimeError) as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
