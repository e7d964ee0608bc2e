"""Generated changes: what is changed about a function, by which name, and what is left alone."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from jms_clients.errors import ProviderError
from jms_clients.mutants.changes import changes
from jms_clients.mutants.changes.arguments import Argument, argued, read_arguments
from jms_clients.mutants.changes.reference import ReferenceSources


def made(body: str, members: Mapping[str, Sequence[str]] | None = None) -> dict[str, set[str]]:
    """By operator, the bodies that a function with this body is changed to."""
    source = "def f(a, b):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    found: dict[str, set[str]] = {}
    for change in changes.changes("m", source, members or {}):
        tree = changes.changed("m", source, change, members or {})
        [function] = tree.body
        assert isinstance(function, ast.FunctionDef)
        text = "\n".join(ast.unparse(statement) for statement in function.body)
        found.setdefault(change.operator, set()).add(text)
    return found


@pytest.mark.parametrize(
    ("body", "operator", "expected"),
    [
        ("return a < b", "comparison-boundary", {"return a <= b"}),
        ("return a < b", "comparison-negated", {"return a >= b"}),
        ("return a is None", "comparison-negated", {"return a is not None"}),
        ("return a in b", "comparison-negated", {"return a not in b"}),
        ("return a and b", "and-or", {"return a or b"}),
        ("return a + b", "arithmetic", {"return a - b"}),
        ("a += b", "arithmetic", {"a -= b"}),
        ("a += b", "left-out-statement", {"pass"}),
        ("return -a", "sign", {"return a"}),
        ("return 7", "number-more", {"return 8"}),
        ("return 7", "number-less", {"return 6"}),
        ("return True", "flag", {"return False"}),
        ("return 'x'", "text", {"return 'xX'"}),
        ("return a", "returned-none", {"return None"}),
        ("a.close()", "left-out-statement", {"pass"}),
        ("a.b = 1", "left-out-statement", {"pass"}),
        ("del a[b]", "left-out-statement", {"pass"}),
        ("raise a", "left-out-raise", {"pass"}),
        ("return a(1, x=2, y=b)", "left-out-argument", {"return a(1, y=b)", "return a(1, x=2)"}),
        ("if a:\n    b()", "condition-negated", {"if not a:\n    b()"}),
        ("if not a:\n    b()", "condition-negated", {"if a:\n    b()"}),
        ("if a:\n    b()", "condition-true", {"if True:\n    b()"}),
        ("if a:\n    b()", "condition-false", {"if False:\n    b()"}),
        ("while a:\n    b()", "early-break", {"while a:\n    b()\n    break"}),
        ("for x in a:\n    b(x)", "first-only", {"for x in list(a)[:1]:\n    b(x)"}),
        ("for x in a:\n    b(x)", "last-only", {"for x in list(a)[-1:]:\n    b(x)"}),
        ("return [x for x in a]", "first-only", {"return [x for x in list(a)[:1]]"}),
        ("return [x for x in a if b]", "condition-true", {"return [x for x in a if True]"}),
        ("for x in a:\n    continue", "break-continue", {"for x in a:\n    break"}),
        (
            "match a:\n    case 1:\n        b()",
            "number-more",
            {"match a:\n    case 2:\n        b()"},
        ),
    ],
)
def test_an_operator_changes_one_thing(body: str, operator: str, expected: set[str]) -> None:
    assert made(body)[operator] == expected


def test_a_member_of_an_enumeration_becomes_the_next() -> None:
    source = "class Mode(Enum):\n    ONE = 1\n    TWO = 2\n"
    members = changes.enumerations([source])
    assert made("return Mode.TWO", members)["other-member"] == {"return Mode.ONE"}
    assert "other-member" not in made("return Other.TWO", members)


@pytest.mark.parametrize(
    "body",
    [
        '"""Words."""',
        "assert a",
        "_LOG.info('a %d', 1)",
        "import a",
        "x: int",
        "while True:\n    pass",  # but its end, and an early break
    ],
)
def test_what_nobody_can_see_is_left_alone(body: str) -> None:
    assert not made(body).keys() - {"condition-negated", "flag", "early-break"}


def test_texts_of_exceptions_stay_and_so_do_those_among_values() -> None:
    assert "text" not in made("raise ValueError('no', f'of {a}')")
    assert "text" not in made("return f'{a}: x'")


def test_names_tell_getter_and_setter_apart_and_stay_when_others_change() -> None:
    source = textwrap.dedent("""
        class C:
            @property
            def p(self): return 1
            @p.setter
            def p(self, v): self.v = v + 1
            def q(self): return 2
    """)
    ids = {change.id for change in changes.changes("m", source, {})}
    assert {"m:C.p:number-more:1", "m:C.p#2:number-more:1", "m:C.q:number-more:1"} <= ids
    longer = source.replace("return 1", "return 1 + 1 + 1")
    kept = {change.id for change in changes.changes("m", longer, {})}
    assert {id_ for id_ in ids if "C.q" in id_ or "#2" in id_} <= kept


def test_every_change_of_the_reference_differs_and_compiles() -> None:
    reference = ReferenceSources.installed()
    for module in ("jmsapi.conversions", "pulsar_jms.selectors.parser"):
        source = reference.sources[module]
        found = changes.changes(module, source, reference.members)
        assert len({change.id for change in found}) == len(found) > 50
        diffs = reference.diffs(module, {change.function for change in found})
        for change in found:
            tree = changes.changed(module, source, change, reference.members)
            compile(tree, module, "exec")
            assert diffs[change], change.id


def test_an_argument_speaks_of_the_changes_with_its_lines() -> None:
    reference = ReferenceSources({"m": "def f(a):\n    return a < 1\n"}, {"m": Path("m.py")})
    lines = ("- return a < 1", "+ return a <= 1")
    why = argued(reference, [Argument("m:f", lines, "never 1")])
    assert {change.id: told for change, told in why.items()} == {
        "m:f:comparison-boundary:1": "never 1"
    }


@pytest.mark.parametrize(
    ("function", "lines", "told"),
    [
        ("m:g", ["- return a < 1", "+ return a <= 1"], "no such function"),
        ("n:f", ["- return a < 1", "+ return a <= 1"], "no such function"),
        ("m:f", ["- return a < 2", "+ return a <= 2"], "has no change"),
    ],
)
def test_an_argument_that_no_longer_matches_is_refused(
    function: str, lines: list[str], told: str
) -> None:
    reference = ReferenceSources({"m": "def f(a):\n    return a < 1\n"}, {"m": Path("m.py")})
    with pytest.raises(ProviderError, match=told):
        argued(reference, [Argument(function, tuple(lines), "why")])


@pytest.mark.parametrize(
    "text",
    [
        "[[argued]]\nfunction = 'm:f'\nchange = ['- a']\n",
        "[[argued]]\nfunction = 'm:f'\nchange = '- a'\nwhy = 'x'\n",
        "[[argued]]\nfunction = 'm:f'\nchange = ['- a']\nwhy = ' '\n",
        "[[argued]]\nfunction = 'm:f'\nchange = ['- a']\nwhy = 'x'\nmore = 1\n",
        "[[argued",
    ],
)
def test_an_argument_that_lacks_something_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "argued.toml"
    file.write_text(text)
    with pytest.raises(ProviderError, match="argued"):
        read_arguments(file)


def test_the_arguments_of_the_project_hold() -> None:
    assert argued(ReferenceSources.installed(), read_arguments()) is not None
