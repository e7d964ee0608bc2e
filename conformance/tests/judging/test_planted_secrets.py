"""A secret is planted where a user can give one, a client gives it away in every manner, and no
file and no line of the run shows it.
"""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from touchstone.cli import main
from touchstone.commands import compare, report

GIVEN_AWAY = """
import base64, logging, pathlib, sys
from urllib.parse import quote

SECRET = pathlib.Path(__file__).with_name("planted.txt").read_text(encoding="utf-8")
MANNERS = (
    SECRET,
    repr(SECRET),
    quote(SECRET, safe=""),
    f"amqp://me:{quote(SECRET)}@127.0.0.1:1 refused",
    base64.b64encode(f"me:{SECRET}".encode()).decode(),
    base64.b64encode(f"\\0me\\0{SECRET}".encode()).decode(),
    SECRET.encode().hex(),
    "x" * 290 + SECRET,
)

@requirement("TRY-ONE-001")
def test_told(working_broker):
    for text in MANNERS:
        print(text)
        print(text, file=sys.stderr)
        logging.getLogger("a client").warning("with %s", text)
        observe(f"seen {len(text)}", text)
    kept = {"all": MANNERS}
    assert kept == {"all": ("nothing",)}

@requirement("TRY-ONE-002")
@pytest.mark.parametrize("number", range(len(MANNERS)))
def test_thrown(number, working_broker):
    try:
        raise JMSException(MANNERS[number])
    except JMSException as error:
        raise JMSException(f"login failed: {MANNERS[number]}") from error

@pytest.fixture
def failing():
    raise RuntimeError(MANNERS[0])

@requirement("TRY-ONE-003")
def test_set_up(failing):
    assert failing
"""


@pytest.fixture
def secret() -> str:
    """Long and awkward, and told to this process by no other test."""
    return f'{secrets.token_hex(8)}-ö"\\&<b>{secrets.token_hex(8)}'


Plant = Callable[[str, Path, pytest.MonkeyPatch], Sequence[str]]


def in_token_file(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    (folder / "given.txt").write_text(secret, encoding="utf-8")
    return "--broker", "pulsar://127.0.0.1:1", "--token-file", "given.txt"


def in_admin_url(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    url = f"http://me:{quote(secret)}@127.0.0.1:1"
    return "--broker", "pulsar://127.0.0.1:1", "--admin-url", url


def in_broker_url(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    file = folder / "try_memory.py"
    file.write_text(file.read_text().replace('= "pulsar"', '= "rabbitmq"'))
    return "--broker", f"rabbitmq=amqp://me:{quote(secret)}@127.0.0.1:1"


def in_variable(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    patch.setenv("THE_CLIENTS_PASSWORD", secret)
    return ()


def in_maven_url(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    patch.setenv("TOUCHSTONE_MAVEN_URL", f"https://me:{quote(secret)}@maven.example/")
    return ()


def in_workers(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    return *in_token_file(secret, folder, patch), "-n", "1"


PLACES: tuple[Plant, ...] = (
    in_token_file, in_admin_url, in_broker_url, in_variable, in_maven_url, in_workers,
)  # fmt: skip


@pytest.mark.parametrize("plant", PLACES, ids=lambda plant: plant.__name__)
def test_no_output_of_a_run_shows_it(
    catalogue: Any,
    secret: str,
    plant: Plant,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder = catalogue.pytester.path
    options = plant(secret, folder, monkeypatch)
    (folder / "try_scenarios/planted.txt").write_text(secret, encoding="utf-8")
    judged = catalogue.scenarios(GIVEN_AWAY).judge(
        *options, "--junitxml=of-pytest.xml", "--all-traces", subprocess=True
    )
    assert judged.exit_status == 1, judged.output
    assert set(judged.verdicts.values()) == {"VIOLATES", "INCONCLUSIVE"}
    monkeypatch.chdir(folder)
    capfd.readouterr()  # pytester's own word on the command line
    main([report.NAME, str(judged.folder), "--out", "together"])
    main([compare.NAME, str(judged.folder), str(judged.folder)])

    written = [*written_below(folder / "results"), *written_below(folder / "together")]
    written.append(("of-pytest.xml", (folder / "of-pytest.xml").read_text()))
    written += [("output", judged.output), ("commands", "".join(capfd.readouterr()))]
    names = {Path(name).name for name, _ in written}
    assert {"run.json", "verdicts.jsonl", "report.html", "junit.xml", "summary.md"} <= names
    assert sum("***" in text for _, text in written) > 5
    shown = [(name, where) for name, text in written for where in places_of(secret, text)]
    assert shown == []


def written_below(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file with its text."""
    for file in folder.rglob("*"):
        if file.is_file():
            yield str(file.relative_to(folder)), file.read_text(errors="replace")


def places_of(secret: str, text: str) -> Iterator[str]:
    """Where in the text the two unguessable halves of the secret can be read."""
    for half in (secret[:16], secret[-16:]):
        for spelled in (half, half.encode().hex()):
            if (at := text.find(spelled)) >= 0:
                yield text[max(0, at - 40) : at + 60]
        for run in re.finditer(r"[\w+/-]{24,}", text):
            for skipped in range(4):
                piece = run[0][skipped:].translate(str.maketrans("-_", "+/"))
                try:
                    decoded = base64.b64decode(piece[: len(piece) // 4 * 4])
                except (ValueError, binascii.Error):
                    continue
                if half.encode() in decoded:
                    yield f"Base64: {run[0][:60]}"
