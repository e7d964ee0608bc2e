"""A client knows a secret and gives it away; no command shows it, nor any file that one leaves."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest

import bench.__main__
from bench import kept, poison
from commands.planted import a_secret, shown_in, written_below
from histories.object_store import object_store
from jms_brokers.brokers.credentials import make_passwords, make_tokens
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.machine.secrecy import hide_secrets, learn
from jms_histories.history.description import Description, encode
from jms_histories.history.recorder import Recorder
from jms_histories.history.recording import FOLDER, HistoryDescription, this_boot
from jms_histories.history.seal import HISTORY, seal
from jms_histories.history.simulation.making import make_history
from jms_histories.history.simulation.settings import preset
from touchstone.cli import main
from touchstone.verdicts import ExitStatus

pytestmark = pytest.mark.thorough

GIVING_AWAY = """
import base64, json, os, pathlib, sys
from contextlib import contextmanager
import pulsar
from jmsapi import JMSException
from jms_clients.registry import load_provider

SECRET = pathlib.Path(__file__).with_name("planted.txt").read_text(encoding="utf-8")
REFERENCE = load_provider("reference")

class Client:
    def __init__(self, client):
        self.client, self.constants = client, client.constants

    def connection_factory(self, settings):
        if os.environ["GIVEN"] == "thrown":
            raise JMSException(f"login failed: {SECRET}")
        return self.client.connection_factory(settings)

class GivingAway:
    name, version, transport = "giving-away", "1", REFERENCE.transport
    documents, capabilities = REFERENCE.documents, REFERENCE.capabilities
    broker_family = "pulsar"
    presets = {
        **REFERENCE.presets,
        "logins": {"saslJaasConfig": f"Plain required password={json.dumps(SECRET)};"},
    }

    @contextmanager
    def open(self, broker):
        for stream in (sys.stdout, sys.stderr):
            print(SECRET, base64.b64encode(f"me:{SECRET}".encode()), file=stream)
        if os.environ["GIVEN"] == "at the opening":
            raise RuntimeError(f"login failed: {SECRET}")
        if os.environ["GIVEN"] == "to the broker":
            self.tell(broker)
        with REFERENCE.open(broker) as client:
            yield Client(client)

    def tell(self, broker):
        plain = pulsar.Client(broker.service_url)
        topic = f"persistent://public/default/of-{os.getpid()}"
        kept = plain.create_producer(topic, producer_name=SECRET)
        try:
            plain.create_producer(topic, producer_name=SECRET)
        except pulsar.PulsarException:
            plain.close()
        else:
            raise AssertionError("the broker let two producers have one name")
"""
NOW = datetime(2026, 1, 2, tzinfo=UTC)
CLIENT = "python:giving_away:GivingAway"


@pytest.fixture
def secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What the client `giving_away` knows, which can be loaded in every process of the test."""
    planted = a_secret()
    (tmp_path / "planted.txt").write_text(planted, encoding="utf-8")
    (tmp_path / "giving_away.py").write_text(GIVING_AWAY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("GIVEN", "nothing")
    monkeypatch.delitem(sys.modules, "giving_away", raising=False)
    yield planted
    sys.modules.pop("giving_away", None)


def run(*words: str, folder: Path) -> tuple[int, list[tuple[str, str]]]:
    """The status of a command as people run it, and what it printed."""
    line = [sys.executable, "-m", *words]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, [("stdout", done.stdout), ("stderr", done.stderr)]


def test_a_workload_its_logs_and_those_of_its_broker(
    secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIVEN", "to the broker")
    words = ("workload", "run", "--workload", "queue", "--messages", "100", "--provider", CLIENT)
    status, printed = run("touchstone", *words, folder=tmp_path)

    assert status == ExitStatus.NOTHING_UNEXPECTED, printed
    written = [*written_below(tmp_path / "results")]
    [log] = [text for name, text in written if "/pulsar-" in name]
    assert "Producer with name '***' is already connected" in log
    assert sum("*** " in text for name, text in written if "/session-" in name) >= 2
    assert {"report.json", "volume.html"} <= {Path(name).name for name, _ in written}
    assert shown_in(secret, [*written, *printed]) == []


@pytest.mark.parametrize("given", ["at the opening", "thrown"])
def test_a_workload_that_fails(
    given: str, secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pulsar: BrokerAddress
) -> None:
    monkeypatch.setenv("GIVEN", given)
    words = ("workload", "run", "--workload", "queue", "--messages", "100", "--provider", CLIENT)
    where = ("--broker", pulsar.service_url, "--admin-url", pulsar.admin_url)
    for more in ((), ("--json",)):
        status, printed = run("touchstone", *words, *where, *more, folder=tmp_path)

        assert status == ExitStatus.COULD_NOT_JUDGE, printed
        assert "login failed: ***" in printed[0][1]
        assert shown_in(secret, [*written_below(tmp_path / "results"), *printed]) == []


@pytest.mark.parametrize("given", ["at the opening", "thrown"])
def test_pairs_of_clients(
    given: str, secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pulsar: BrokerAddress
) -> None:
    monkeypatch.setenv("GIVEN", given)
    where = ("--broker", pulsar.service_url, "--admin-url", pulsar.admin_url)
    words = ("interop", *where, "--client", CLIENT, "--exchange", "text-plain")
    for more in ((), ("--json",)):
        status, printed = run("touchstone", *words, *more, folder=tmp_path)

        assert status in (ExitStatus.UNEXPECTED, ExitStatus.COULD_NOT_JUDGE), printed
        written = [*written_below(tmp_path / "results")]
        assert any("login failed: ***" in text for _, text in written)
        assert {"report.html", "junit.xml", "exchanges.jsonl"} <= {
            Path(name).name for name, _ in written
        }
        assert shown_in(secret, [*written, *printed]) == []


def test_a_history_in_whose_texts_it_is(
    secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THE_CLIENTS_PASSWORD", secret)
    where = tmp_path / "run"
    with Recorder(where / FOLDER, secret) as recorder:
        recorder.session(1).sent_invoked(encode(Description(1 << 40, *(-1,) * 10)))
    HistoryDescription(
        secret, 3, 0, ("D01",), {1: "here"}, finished_on=this_boot(),
        names={"dest": {"0": secret}}, settings={"provider_version": secret, secret[:4]: secret},
    ).write(where / FOLDER)  # fmt: skip
    seal(where)
    for more in ((), ("--json",)):
        _, printed = run("touchstone", "verify", str(where / HISTORY), *more, folder=tmp_path)

        written = [*written_below(where / f"{HISTORY}-report")]
        assert len(written) == 3
        assert sum("***" in text for _, text in written) == 2
        assert "***" in printed[0][1]
        assert shown_in(secret, [*written, *printed]) == []


def test_a_history_in_a_store_whose_key_is_in_its_url(
    secret: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    make_history(tmp_path / "store/bucket/legal", preset("plain", 2000))
    with object_store(tmp_path / "store") as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        url = f"s3://key:{quote(secret, safe='')}@bucket"
        command = ["verify", f"{url}/legal", "--checks", "D01", "--out", str(tmp_path / "out")]
        assert main(command) == ExitStatus.NOTHING_UNEXPECTED
        assert main(["verify", f"{url}/nowhere"]) == ExitStatus.FAULT
        assert main(["history", "show", f"{url}/legal"]) == 0
    printed = capfd.readouterr()
    assert "s3://key:***@bucket/nowhere/manifest.json" in "".join(printed.err.split("\n"))
    written = [*written_below(tmp_path / "out")]
    assert any("s3://key:***@bucket/legal" in text for _, text in written)
    assert shown_in(secret, [*written, *zip(("stdout", "stderr"), printed, strict=True)]) == []


def test_settings_of_spark(secret: str, tmp_path: Path) -> None:
    make_history(tmp_path / "legal", preset("plain", 2000))
    words = ("verify", "legal", "--engine", "spark", "--master", "local[1]", "--checks", "D01")
    key = ("--spark-conf", f"spark.hadoop.fs.s3a.secret.key={secret}")
    status, printed = run("touchstone", *words, *key, folder=tmp_path)

    assert status == ExitStatus.NOTHING_UNEXPECTED, printed
    written = [*written_below(tmp_path / "legal-report")]
    assert len(written) == 3
    assert shown_in(secret, [*written, *printed]) == []
    told = ("--spark-conf", f"spark.local.dir=/proc/{secret}")
    status, printed = run("touchstone", *words, *key, *told, folder=tmp_path)
    assert status == ExitStatus.FAULT
    assert "/proc/***" in printed[1][1]
    assert shown_in(secret, printed) == []


def test_benchmarks_and_what_they_keep(
    secret: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learn(secret)
    kept.write(tmp_path / "kept", "poison", {}, {"why": f"Refused {secret}"}, "abc", NOW)
    figures = poison.PoisonFigures(sent=1, thrown=Counter({f"Refused {secret}": 1}))
    told = poison.Poisoned({f"by {secret}": figures}, {}, 1.0, 2.0, 3.0)
    monkeypatch.setattr(poison, "measure", lambda *_: told)
    monkeypatch.setattr(kept, "keep", lambda *_: Path("kept.json"))
    monkeypatch.setattr(sys, "argv", ["bench", "poison"])
    bench.__main__.main()
    written = [*written_below(tmp_path / "kept")]
    printed = list(zip(("stdout", "stderr"), capfd.readouterr(), strict=True))
    assert {"by ***", "Refused ***"} <= {*re.findall(r"\w+ \*\*\*", printed[0][1])}
    assert sum("Refused ***" in text for _, text in written) == 1
    assert shown_in(secret, [*written, *printed]) == []


def test_a_benchmark_that_fails(
    secret: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(kept.__file__).parents[1]}")
    monkeypatch.setenv("THE_CLIENTS_PASSWORD", secret)
    (tmp_path / "giving_away.py").write_text(f"raise RuntimeError({secret!r})")
    status, printed = run("bench", "poison", "--provider", CLIENT, folder=tmp_path)

    assert status == 1
    assert "RuntimeError: ***" in printed[1][1]
    assert shown_in(secret, printed) == []


def test_accounts_of_brokers_are_known_before_a_broker_is_there(tmp_path: Path) -> None:
    """What a broker that does not start writes of its configuration is part of the error."""
    for made in (make_passwords(("admin", "client")), make_tokens(tmp_path, ("admin", "client"))):
        assert len({*made.values()}) == 2
        assert hide_secrets(str(made)) == "{'admin': '***', 'client': '***'}"
