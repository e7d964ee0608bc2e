"""Where things stand in the code, and pages that show the code with a mark at each line."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from plain_texts import text

FOLDER = "code"
"""The folder of the site that holds the pages of code."""
_WRONG_CLIENTS = "scenarios/wrong_clients"
_FENCE = "``````"


@dataclass
class Sources:
    """The modules below `root`; remembers which were linked, so that each has a page."""

    root: Path
    linked: dict[str, None] = field(default_factory=dict)

    def link(self, name: str, module: str, up: str) -> str:
        """A link to where `name`, which may have dots, is defined in `module`.

        `up` leads from the page with the link to the site's first folder. Raises LookupError for
        a name that the module does not define.
        """
        path = self._path(module)
        line = _lines_of(self._tree(path)).get(name)
        if line is None:
            raise LookupError(f"{path} defines no {name}")
        return self._link(name, path, line, up)

    def mutant_link(self, name: str, up: str) -> str:
        """A link to the function of a wrong client; its name alone if that is elsewhere."""
        if name not in self._mutants:
            return f"<code>{text(name)}</code>"
        path, line = self._mutants[name]
        return self._link(name, path, line, up)

    def module_of(self, node: str) -> str:
        """The module of a scenario, from pytest's node id."""
        parts = PurePosixPath(node.partition("::")[0]).with_suffix("").parts
        return ".".join(parts[parts.index("jms_scenarios") :])

    def page(self, path: str) -> str:
        """The Markdown that shows a module; a mark `__codelineno-0-N` stands at each line N."""
        code = (self.root / path).read_text("utf-8")
        block = f'{_FENCE}{{ .python linenums="1" }}\n{code}{_FENCE}\n'
        return f"# {PurePosixPath(path).name}\n\n`{path}`\n\n{block}"

    def _link(self, name: str, path: str, line: int, up: str) -> str:
        self.linked[path] = None
        shown = re.sub(r"([_.-])", r"\1<wbr>", name)
        return f"[<code>{shown}</code>]({up}{FOLDER}/{path}.md#__codelineno-0-{line})"

    def _path(self, module: str) -> str:
        spec = importlib.util.find_spec(module)
        if spec is None or spec.origin is None:
            raise LookupError(f"there is no module {module}")
        return Path(spec.origin).resolve().relative_to(self.root).as_posix()

    def _tree(self, path: str) -> ast.Module:
        if path not in self._trees:
            self._trees[path] = ast.parse((self.root / path).read_text("utf-8"))
        return self._trees[path]

    @cached_property
    def _trees(self) -> dict[str, ast.Module]:
        return {}

    @cached_property
    def _mutants(self) -> dict[str, tuple[str, int]]:
        mutants = {}
        for file in sorted((self.root / _WRONG_CLIENTS).rglob("*.py")):
            path = file.relative_to(self.root).as_posix()
            for node in self._tree(path).body:
                if isinstance(node, ast.FunctionDef) and (name := _mutant_name(node)):
                    mutants[name] = (path, node.lineno)
        return mutants


def _mutant_name(function: ast.FunctionDef) -> str:
    """The wrong client that a function is; empty for any other function."""
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id="wrong"), keywords=options):
                for option in options:
                    match option:
                        case ast.keyword(arg="name", value=ast.Constant(value=str(name))):
                            return name
                return function.name.replace("_", "-")
    return ""


def _lines_of(tree: ast.Module) -> dict[str, int]:
    """The line of each definition and assignment, by its qualified name."""
    return dict(_definitions(tree.body, ""))


def _definitions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, int]]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name):
                yield prefix + name, node.lineno
            case ast.ClassDef(name=name, body=members):
                yield prefix + name, node.lineno
                yield from _definitions(members, f"{prefix}{name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield prefix + name, node.lineno
            case _:
                pass
