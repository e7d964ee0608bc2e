"""A secret is planted where a user can give one, a client gives it away in every manner, and no
file and no line of the run shows it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from commands.planted import a_secret, shown_in, written_below
from touchstone.cli import main

pytestmark = pytest.mark.thorough

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

OPENED = """
    @contextmanager
    def open(self, broker):
        yield Client()


def provider(variant, version):
    return Memory()
"""


@pytest.fixture
def secret() -> str:
    """Told to this process by no other test."""
    return a_secret()


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


def in_options_of_java(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    key = f"-Djavax.net.ssl.keyStorePassword={secret}"
    patch.setenv("JAVA_TOOL_OPTIONS", f"-Djavax.net.ssl.keyStore=/there {key} -Xmx64m")
    return ()


def in_preset(folder: Path, **settings: str) -> Sequence[str]:
    """The client under test brings the settings by which one logs in."""
    file = folder / "try_memory.py"
    presets = f"    presets = {{'logins': {settings!r}}}\n"
    file.write_text(f"{file.read_text().partition('    @contextmanager')[0]}{presets}\n{OPENED}")
    return ()


def in_jaas(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    login = f'{module} required username="me" password={json.dumps(secret)};'
    return in_preset(folder, saslJaasConfig=login)


def in_auth_params_as_json(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    return in_preset(folder, authParams=json.dumps({"userId": "me", "password": secret}))


def in_auth_params_as_list(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    key = f"keyStoreType:JKS,keyStorePassword:{secret},keyStorePath:/there"
    return in_preset(folder, authParams=key)


def in_password_of_tls_key(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    return in_preset(folder, tlsKeyStorePassword=secret)


def in_workers(secret: str, folder: Path, patch: pytest.MonkeyPatch) -> Sequence[str]:
    return *in_token_file(secret, folder, patch), "-n", "1"


PLACES: tuple[Plant, ...] = (
    in_token_file, in_admin_url, in_broker_url, in_variable, in_maven_url, in_options_of_java,
    in_jaas, in_auth_params_as_json, in_auth_params_as_list, in_password_of_tls_key, in_workers,
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
        *options,
        *("--junitxml=of-pytest.xml", "--alluredir=of-allure", "--all-traces"),
        subprocess=True,
    )
    assert judged.exit_status == 1, judged.output
    assert set(judged.verdicts.values()) == {"VIOLATES", "INCONCLUSIVE"}
    monkeypatch.chdir(folder)
    capfd.readouterr()  # pytester's own word on the command line
    main(["report", str(judged.folder), "--out", "together"])
    main(["compare", str(judged.folder), str(judged.folder)])

    written = [*written_below(folder / "results"), *written_below(folder / "together")]
    written += written_below(folder / "of-allure")
    written.append(("of-pytest.xml", (folder / "of-pytest.xml").read_text()))
    written += [("output", judged.output), ("commands", "".join(capfd.readouterr()))]
    names = {Path(name).name for name, _ in written}
    assert {"run.json", "verdicts.jsonl", "report.html", "junit.xml", "summary.md"} <= names
    assert sum("***" in text for _, text in written) > 5
    assert shown_in(secret, written) == []
