"""What documents say can be checked: links, commands, targets, names, ids, tables and figures."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from bench.__main__ import BENCHMARKS
from commands.hostile_texts import HOSTILE
from fuzz.targets import find
from jms_brokers.shared.registry import families
from jms_clients.registry import provider_names
from jms_histories.definitions import CHECKS
from touchstone.catalogue import load_library
from touchstone.cli import COMMANDS, Parser, parser
from touchstone.commands.defaults import KEYS
from touchstone.interop.samples import samples
from touchstone.verdicts import ExitStatus, Verdict, worst

ROOT = Path(__file__).parents[3]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("impl/*.md")])
LIBRARY = load_library()
HANDS_ON = ("run", "hunt", "matrix", "history-of")
"""Commands whose further options are pytest's."""
BARE: tuple[list[str], ...] = ([], ["--help"], ["--version"])
PLACEHOLDERS = {"P", "mine"}
"""Names of clients that stand for the reader's own."""
every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def prose(document: Path) -> str:
    """The text of a document without its blocks of code."""
    return re.sub(r"(?ms)^ *```.*?^ *```", "", document.read_text("utf-8"))


def code(document: Path) -> Iterator[str]:
    """What stands in a document as code: each line of a block of commands, and each span."""
    text = document.read_text("utf-8")
    for block in re.findall(r"(?ms)^ *```sh\n(.*?)^ *```", text):
        for line in block.replace("\\\n", " ").splitlines():
            yield re.sub(r"(^|\s)#.*", "", line)
    yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose(document)))


def places(document: Path) -> set[str]:
    """The anchors of a document: its headings, as GitHub calls them, and those in HTML."""
    text = prose(document)
    headings = re.findall(r"(?m)^#+ (.+)$", text)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)
    return {*plain, *re.findall(r'<a id="([^"]+)">', text)}


@every_document
def test_links_lead_to_files_and_places(document: Path) -> None:
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", prose(document)) if "://" not in link]
    wrong = []
    for link in links:
        path, _, place = link.partition("#")
        target = document.parent / path if path else document
        if not target.exists() or (place and place not in places(target)):
            wrong.append(link)
    assert wrong == []


def options_of(command: argparse.ArgumentParser) -> set[str]:
    """The options of a command and of the actions that it has."""
    found: set[str] = set()
    for action in command._actions:
        found.update(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            found.update(*(options_of(one) for one in action.choices.values()))
    return found


def actions_of(command: argparse.ArgumentParser) -> Collection[str]:
    """The actions that a command has, such as `start`; none for most."""
    [*found] = (each for each in command._actions if isinstance(each, argparse._SubParsersAction))
    return [name for each in found for name in each.choices]


@cache
def command_named(name: str) -> Parser:
    [commands] = (
        each for each in parser([name])._actions if isinstance(each, argparse._SubParsersAction)
    )
    found = commands.choices[name]
    assert isinstance(found, Parser)
    return found


@pytest.fixture(scope="session")
def options_of_pytest() -> set[str]:
    """What pytest and its plug-ins take."""
    command = [sys.executable, "-m", "pytest", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(re.findall(r"(?<!\S)(--?[a-zA-Z][a-z-]*)", done.stdout))


def values(words: list[str], option: str) -> Iterator[str]:
    for word, value in zip(words, [*words[1:], ""], strict=True):
        if word == option:
            yield value.strip("'")


def wrong_in(words: list[str], of_pytest: Collection[str]) -> Iterator[str]:
    """What is wrong with the words behind `touchstone`."""
    if words[0] not in {each.name for each in COMMANDS}:
        yield f"there is no command {words[0]}"
        return
    command = command_named(words[0])
    actions = actions_of(command)
    if actions and len(words) > 1 and words[1] not in actions:
        yield f"{words[0]} has no action {words[1]}"
    given = {word.partition("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
    known = options_of(command) | set(of_pytest if words[0] in HANDS_ON else ())
    yield from sorted(f"{words[0]} has no option {option}" for option in given - known)
    for name in (*values(words, "--provider"), *values(words, "--client")):
        known_names = {*provider_names(), *PLACEHOLDERS, "pulsar-client"}
        if re.split("[@/+:]", name)[0] not in known_names | {"python"}:
            yield f"there is no client {name}"
    for name in values(words, "--area"):
        if name not in LIBRARY.areas:
            yield f"there is no area {name}"
    for id_ in values(words, "--requirement"):
        if id_ not in LIBRARY.requirements and id_ != "ID":
            yield f"there is no requirement {id_}"
    for prefix in values(words, "--document"):
        if prefix not in LIBRARY.documents:
            yield f"there is no document {prefix}"


@every_document
def test_commands_of_touchstone_exist_with_their_options(
    document: Path, options_of_pytest: set[str]
) -> None:
    wrong: list[str] = []
    for line in code(document):
        for part in re.split(r"[|;]|&&|>", line):
            words = part.replace("[", "").replace("]", "").split()
            if words[:1] in (["touchstone"], [".venv/bin/touchstone"]) and words[1:2] > [
                "--version"
            ]:
                wrong += wrong_in(words[1:], options_of_pytest)
    assert wrong == []


@every_document
def test_targets_of_make_exist(document: Path) -> None:
    known = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text()))
    named = {
        word
        for line in code(document)
        for part in re.split(r"[|;]|&&", line)
        if (words := part.split())[:1] == ["make"]
        for word in words[1:2]
        if "=" not in word
    }
    assert named - known == set()


@every_document
def test_modules_that_are_run_exist_with_what_they_are_asked_for(document: Path) -> None:
    for line in code(document):
        if run := re.search(r"\bpython3? -m ([\w.]+)(.*)", line):
            module = run[1]
            assert find_spec(module) is not None, line
            asked = [word for word in run[2].split() if re.fullmatch("[a-z][a-z-]+", word)]
            if module == "bench" and asked:
                assert asked[0] in BENCHMARKS, line
            for target in asked if module == "fuzz" else ():
                assert find(target), line


@every_document
def test_files_and_modules_that_are_named_exist(document: Path) -> None:
    wrong = []
    for span in code(document):
        if re.fullmatch(r"[\w.][\w./-]*(\.(py|java|yml|md|toml)|/)", span) and not is_there(span):
            wrong.append(span)
        if re.fullmatch(r"(touchstone|jms_\w+|pulsar_jms|jvm_runtime|jmsapi)(\.\w+)+", span):
            wrong += [] if span in NO_MODULES or is_importable(span) else [span]
    assert wrong == []


NO_MODULES = {
    "touchstone.catalogues",  # groups of entry points
    "jms_clients.wrong_clients",
    "jms_clients.providers",
    "touchstone.toml",  # a file of the reader's own
    "touchstone.limits",  # and the reference's own settings
    *(f"touchstone.limits.{name}" for name in ("maxDepth", "maxElements", "maxSize")),
}
MADE = {
    "touchstone.toml",
    "ISSUE.md",
    "Reproducer.java",
    "deviations.toml",
    "recording/",
    "summary.md",
}
MADE |= {
    "allure-results/",
    "changes.md",
    "requirements.toml",
    "results/history-of-qpid/",
    "corpora/NAME/",
    "fuzz/findings/",
    "traces/",
}
"""Files and folders that a run or a reader makes."""


@cache
def project_files() -> str:
    """Every file of the project and every folder, one a line."""
    found = [
        path.relative_to(ROOT)
        for path in ROOT.rglob("*")
        if not {".git", ".venv", "node_modules", "results", "__pycache__"} & {*path.parts}
    ]
    return "".join(f"\n/{path}{'/' if (ROOT / path).is_dir() else ''}\n" for path in found)


def is_there(name: str) -> bool:
    """Whether a file or folder of the project has this name, or a longer one that ends so."""
    return f"/{name}\n" in project_files() or name in MADE


def is_importable(name: str) -> bool:
    parent, _, last = name.rpartition(".")
    try:
        return find_spec(name) is not None or hasattr(import_module(parent), last)
    except ModuleNotFoundError:
        return bool(parent) and "." in parent and is_attribute(parent, last)


def is_attribute(path: str, name: str) -> bool:
    module, _, owner = path.rpartition(".")
    return hasattr(getattr(import_module(module), owner, None), name)


@every_document
def test_requirements_that_are_named_exist(document: Path) -> None:
    prefixes = "|".join(LIBRARY.documents)
    named = set(re.findall(rf"\b(?:{prefixes})-[A-Z]+-\d{{3}}\b", document.read_text("utf-8")))
    assert named - set(LIBRARY.requirements) == set()


def rows(document: str, head: str) -> list[list[str]]:
    """The cells of the table that begins with this line."""
    text = (ROOT / document).read_text("utf-8")
    assert text.count(f"{head}\n") == 1
    table = text.partition(f"{head}\n")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[1:]]


def test_every_key_of_defaults_is_in_the_table() -> None:
    table = rows("docs/command-line.md", "| key | option | value |")
    options = {"--numprocesses": "-n"}
    assert table == [
        [f"`{name}`", f"`{options.get(key.option, key.option)}`", key.kind]
        for name, key in KEYS.items()
    ]


def test_every_verdict_is_explained_the_worst_first() -> None:
    table = rows("docs/reports.md", "| verdict | sign | means | is seen when |")
    explained = [row[0] for row in table]
    assert explained.pop() == ""  # what nobody has judged
    assert sorted(explained) == sorted(verdict.value for verdict in Verdict)
    for better in range(1, len(explained)):
        two = [Verdict(explained[better]), Verdict(explained[better - 1])]
        assert worst(two) == two[1]


def test_every_exit_status_is_explained() -> None:
    head = "| status | `run`, `hunt`, `matrix`, `history-of`, `interop`, `report` |"
    text = (ROOT / "docs/reports.md").read_text("utf-8")
    [line] = [line for line in text.splitlines() if line.startswith(head)]
    assert [int(row[0]) for row in rows("docs/reports.md", line)] == [*ExitStatus]


def test_the_table_of_brokers_says_what_embedded_starts() -> None:
    head = "| family | broker | embedded | also locked | otherwise |"
    table = {row[0].strip("`"): row[2:] for row in rows("docs/broker-versions.md", head)}
    assert set(table) == set(families())
    for name, family in families().items():
        usual, others, ways = table[name]
        assert ("container" in ways) == ("container" in family.ways), name
        assert ("--broker" in ways) == ("external" in family.ways), name
        if family.locked is not None:
            assert usual == family.locked.usual
            known = set(family.locked.known) - {usual}
            assert {each for each in others.split(", ") if each} == known


def test_the_table_of_clients_names_every_provider_and_locked_release() -> None:
    head = "| provider | client | its document | broker |"
    table = rows("docs/judging.md", head)
    names = {name for row in table for name in re.findall("`([^`]+)`", row[0])}
    assert set(provider_names()) == {re.split("[@/+]", name)[0] for name in names}
    locks = ROOT / "impl/jvm_runtime/locks"
    for row in table:
        [name, *_] = re.findall("`([^`]+)`", row[0])
        locked = {file.stem.removeprefix(f"{name}-") for file in locks.glob(f"{name}-[0-9]*.lock")}
        assert set(re.findall(r"\d+\.\d+\.\d+", row[1])) >= locked


def test_figures_are_those_of_the_project() -> None:
    of = Counter(requirement.document for requirement in LIBRARY.requirements.values())
    vendors = of.total() - of["JMS"] - of["API"]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert (
        f"{len(LIBRARY.requirements):,} numbered statements: {vendors} drawn from the clients' "
        f"documents, {of['JMS']} from the core of the specification, {of['API']} from the "
        "documentation of its API"
    ) in readme
    pulsar = families()["pulsar"].locked
    assert pulsar is not None
    assert f"fetches Apache Pulsar {pulsar.usual} " in readme
    for document in DOCUMENTS:
        for number in re.findall(r"\b(\d+) checks\b", document.read_text("utf-8")):
            assert int(number) == len(CHECKS), document
    assert len(HOSTILE) == 17
    assert "seventeen hostile texts" in (ROOT / "SECURITY.md").read_text("utf-8")
    assert abs(len(samples("x")) - 150) <= 10
    assert "some 150 messages" in (ROOT / "docs/interop.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("heading", "package"),
    [
        ("## Layers of the reference", "pulsar_jms"),
        ("## Layers of the harness", "touchstone"),
        ("## Layers of the brokers", "jms_brokers"),
        ("## Layers of the clients", "jms_clients"),
    ],
)
def test_the_layers_of_a_package_are_those_that_its_imports_keep_to(
    heading: str, package: str
) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    [layers] = [
        [set(layer.split(" | ")) for layer in contract["layers"]]
        for contract in contracts["contracts"]
        if contract.get("containers") == [package]
    ]
    section = (ROOT / "docs/design.md").read_text("utf-8").partition(f"{heading}\n")[2]
    table = section.partition("|---|---|\n")[2].partition("\n\n")[0]
    named = [
        name for row in table.splitlines() for name in re.findall("`(.+?)`", row.split("|")[1])
    ]
    of = {name: place for place, layer in enumerate(layers) for name in layer}
    assert [of[name] for name in named] == sorted(of[name] for name in named)
    assert set(of) - {*named} <= {"__main__", "pytest_plugin"}


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert (ROOT / "README.md").read_text("utf-8").count("\n") <= 150
