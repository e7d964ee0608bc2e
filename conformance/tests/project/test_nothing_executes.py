"""Nothing that is read can run: the code has no way to make a program of data, but for those below.

The scan looks at names, not at what they are bound to: a module that says one has to be listed.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from touchstone.cli import main

PROJECT = Path(__file__).resolve().parents[3]
PACKAGES = (
    "impl/jmsapi",
    "impl/jvm_runtime",
    "impl/pulsar_jms",
    "conformance/jms_brokers",
    "conformance/jms_clients",
    "conformance/jms_histories",
    "conformance/jms_model",
    "conformance/touchstone",
    "scenarios/jms_scenarios",
    "scenarios/wrong_clients",
    "reports/touchstone_reports",
    "containers",
    "locks",
    "docs",
)
MODULES = {
    *("pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "code"),
    *("multiprocessing", "runpy", "imp", "tarfile", "xml.sax", "telnetlib", "ftplib"),
}
CALLS = {
    *("eval", "exec", "compile", "__import__", "import_module", "os.system", "os.popen"),
    *("yaml.load", "yaml.unsafe_load", "read_pickle", "to_pickle", "extractall", "unpack_archive"),
    *("np.load", "numpy.load", "tempfile.mktemp", "spec_from_file_location"),
    *("ssl._create_unverified_context", "ssl._create_stdlib_context"),
}
SETTINGS = {"shell": True, "allow_pickle": True, "verify": False, "check_hostname": False}
ALLOWED = {
    ("conformance/touchstone/brokers/sharing.py", "multiprocessing"): "sends and takes bytes of "
    "JSON on a loopback connection that is proved by a key of the run; nothing is unpickled",
    ("conformance/jms_brokers/faults/process.py", "multiprocessing"): "its wait() alone",
    ("conformance/jms_brokers/families/rabbitmq/node.py", "multiprocessing"): "its wait() alone",
    (
        "conformance/jms_histories/engines/local/local.py",
        "multiprocessing",
    ): "processes of this one's own, "
    "started anew, which it tells paths and numbers by pipes of their own",
    (
        "conformance/jms_histories/verification/verification.py",
        "import_module",
    ): "a module of this package",
    ("conformance/jms_clients/registry.py", "import_module"): "the provider that the user "
    "names on the command line",
    ("conformance/jms_clients/other_process_child.py", "import_module"): "the provider of "
    "the run, named by its parent on a socket of their own",
    ("conformance/jms_clients/mutants/registry.py", "import_module"): "modules of "
    "registered packages",
    (
        "conformance/jms_clients/mutants/changes/in_place.py",
        "compile",
    ): "the reference's own source "
    "as it is installed, with one change of the list that the generator makes of it",
    (
        "impl/jvm_runtime/unpack.py",
        "extractall",
    ): "a zip whose SHA-256 a lock has; what leads out of the folder is cut off by zipfile",
    ("conformance/touchstone/cli.py", "import_module"): "modules of registered packages",
    ("impl/pulsar_jms/implements.py", "import_module"): "modules of registered packages",
    ("impl/pulsar_jms/transport/credentials.py", "check_hostname"): "the user's own setting "
    "tlsEnableHostnameVerification or tlsAllowInsecureConnection",
    ("impl/pulsar_jms/transport/credentials.py", "CERT_NONE"): "the user's own setting "
    "tlsAllowInsecureConnection",
    ("impl/pulsar_jms/transport/admin_rest.py", "verify"): "of an address without TLS; else it is "
    "a context",
}


def named(node: ast.expr) -> str:
    """`a.b.c` for such an expression."""
    if isinstance(node, ast.Attribute):
        return f"{named(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def dangers(tree: ast.AST) -> Iterator[str]:
    """What in the code could make a program of data, or believe somebody unseen."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names if name.name.split(".")[0] in MODULES)
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in MODULES:
                yield module.split(".")[0]
            case ast.Call(func=function, keywords=keywords):
                whole = named(function)
                last = whole.rpartition(".")[2]
                if last == "load" and any(one.arg == "allow_pickle" for one in keywords):
                    last = whole = ""  # what it is set to is looked at below
                if whole in CALLS or (last in CALLS and last not in ("eval", "exec", "compile")):
                    yield last
                for keyword in keywords:
                    if isinstance(keyword.value, ast.Constant):
                        wrong = SETTINGS.get(keyword.arg or "") is keyword.value.value
                        if (keyword.arg or "") in SETTINGS and wrong:
                            yield str(keyword.arg)
                    elif keyword.arg == "verify" and isinstance(keyword.value, ast.IfExp):
                        ends = (keyword.value.body, keyword.value.orelse)
                        if any(isinstance(e, ast.Constant) and e.value is False for e in ends):
                            yield "verify"
            case ast.Assign(targets=[ast.Attribute(attr="check_hostname")]):
                yield "check_hostname"
            case ast.Attribute(attr="CERT_NONE" | "CERT_OPTIONAL" as name):
                yield name


def test_the_code_has_none_but_those_that_have_a_reason() -> None:
    files = [file for package in PACKAGES for file in (PROJECT / package).rglob("*.py")]
    assert len(files) > 600
    found = {
        (str(file.relative_to(PROJECT)), danger)
        for file in files
        if "tests" not in file.parts
        for danger in dangers(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert found == ALLOWED.keys()


@pytest.mark.parametrize(
    ("code", "danger"),
    [
        ("import pickle", "pickle"),
        ("from multiprocessing.connection import Client", "multiprocessing"),
        ("eval(text)", "eval"),
        ("importlib.import_module(name)", "import_module"),
        ("np.load(file)", "load"),
        ("np.load(file, allow_pickle=True)", "allow_pickle"),
        ("archive.extractall(folder)", "extractall"),
        ("np.save(file, x, allow_pickle=True)", "allow_pickle"),
        ("run(line, shell=True)", "shell"),
        ("httpx.get(url, verify=False)", "verify"),
        ("get(url, verify=trust if there else False)", "verify"),
        ("context.check_hostname = False", "check_hostname"),
        ("context.verify_mode = ssl.CERT_NONE", "CERT_NONE"),
    ],
)
def test_the_scan_sees(code: str, danger: str) -> None:
    assert list(dangers(ast.parse(code))) == [danger]


@pytest.mark.parametrize(
    "code",
    ["re.compile(text)", "json.load(file)", "f(verify=True)", "np.load(file, allow_pickle=False)"],
)
def test_the_scan_leaves_alone(code: str) -> None:
    assert list(dangers(ast.parse(code))) == []


def test_no_reader_of_results_imports_what_they_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A provider of one's own is named as `python:module:attribute`, in results as everywhere."""
    (tmp_path / "planted_module.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    provider = "python:planted_module:provider"
    run = tmp_path / "results/run"
    run.mkdir(parents=True)
    (run / "run.json").write_text(
        f"""{{"format": 1, "id": "run", "started": "2026-01-01T00:00:00Z",
        "finished": "2026-01-01T00:00:01Z", "seed": 1, "command": ["x"], "touchstone": "0.1.0",
        "python": "3.11", "machine": {{}}, "providers": [{{"name": "{provider}", "version": "1",
        "documents": ["SLJ"]}}], "brokers": [], "exit_status": 0}}"""
    )
    (run / "verdicts.jsonl").write_text("")
    main(["report", str(run), "--out", "out"])
    main(["compare", str(run), str(run)])
    main(["explain", "SLJ-PROP-002"])
    main(["coverage", "--results-dir", "results"])
    assert "planted_module" in (tmp_path / "out/report.html").read_text()
    assert "planted_module" not in sys.modules
