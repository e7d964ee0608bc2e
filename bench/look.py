"""Lists the largest modules, functions and packages of the project: `make look`."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIRECTORIES = ("bench", "conformance", "containers", "fuzz", "impl", "reports", "scenarios")
SHOWN = 12


def functions(module: Path, source: str) -> Iterator[tuple[str, int]]:
    """Each function of a module with its lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{module}:{node.lineno} {node.name}", (node.end_lineno or 0) - node.lineno + 1


def main() -> None:
    """Print three tables, the largest first."""
    sizes = {
        name: Counter[str]()
        for name in ("lines of modules", "lines of functions", "modules of packages")
    }
    for file in (file for directory in DIRECTORIES for file in (ROOT / directory).rglob("*.py")):
        module, source = file.relative_to(ROOT), file.read_text("utf-8")
        sizes["lines of modules"][str(module)] = source.count("\n")
        sizes["lines of functions"].update(dict(functions(module, source)))
        sizes["modules of packages"][f"{module.parent}/"] += 1
    for name, of in sizes.items():
        rows = (f"{size:6} {what}\n" for what, size in of.most_common(SHOWN))
        sys.stdout.write("".join((f"\n{name}\n", *rows)))


if __name__ == "__main__":
    main()
