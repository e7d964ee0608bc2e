"""The engine dies in the middle of a run: what was judged stays, the rest says why it was not.

All of it happens in a machine within this one: process numbers, network and mounts of its own, with
an engine of its own. So nobody else's containers are harmed, and the kernel ends what stays behind.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from containers.recipes import ROOT
from jms_brokers.brokers import container_engine
from jms_brokers.families.artemis.container import ContainerArtemis

_WITHIN = 420
"""Seconds for all of it on a busy machine."""
_MACHINE = ("unshare", "--net", "--pid", "--mount-proc", "--fork", "--kill-child")
_SCRIPT = r"""
set -euo pipefail

processes() { # all but this one, a line each
    local each line
    for each in /proc/[0-9]*; do
        line=$({ tr '\0' ' ' <"$each/cmdline"; } 2>/dev/null) || continue # it has ended
        [ "$each" = /proc/1 ] || [ -z "$line" ] || echo "$1: $line"
    done
}

ip link set lo up
eval "$(containers/engine start)"
docker load --quiet

"$PYTHON" -m touchstone run --provider qpid --broker container --document JMS --area consumers \
    --area producers -n 1 --results-dir "$RESULTS" </dev/null >"$RESULTS.out" 2>&1 &
run=$!
until grep -qs CONFORMS "$RESULTS"/*/verdicts.jsonl.part && [ -n "$(docker ps --quiet)" ]; do
    kill -0 $run # a scenario with a broker of its own may be the first, and leave none
    sleep 0.05
done
engine=$(cat "$TOUCHSTONE_ENGINE/dockerd.pid")
kill -s "$SIGNAL" "$engine"
status=0
wait $run || status=$?
echo "status $status"
while [ -e "/proc/$engine" ]; do sleep 0.1; done
processes after
containers/engine stop
processes left
"""


@pytest.mark.parametrize("signal", ["KILL", "TERM"])
def test_a_run_whose_engine_dies_keeps_its_verdicts_and_says_why_others_are_missing(
    signal: str, tmp_path: Path
) -> None:
    image = container_engine.image(ContainerArtemis.images)
    results = tmp_path / "results"
    done = _in_a_machine(image, SIGNAL=signal, RESULTS=str(results))
    told = Path(f"{results}.out").read_text("utf-8")

    assert "status 2\n" in done, told
    [run] = results.iterdir()
    assert json.loads((run / "run.json").read_text("utf-8"))["finished"] is not None
    lines = [json.loads(line) for line in (run / "verdicts.jsonl").read_text("utf-8").splitlines()]
    verdicts = {line["verdict"] for line in lines}
    assert {"CONFORMS", "INCONCLUSIVE"} <= verdicts, told
    assert "VIOLATES" not in verdicts, told
    assert "never run" not in told
    missing = [line["reason"] for line in lines if line["verdict"] == "INCONCLUSIVE"]
    assert any("No container engine answers at" in reason for reason in missing), missing
    assert "docker info" in told
    after = [line for line in done.splitlines() if line.startswith("after: ")]
    assert all("containerd" in line.partition(" -")[0] for line in after), done  # no broker
    assert "left: " not in done


def test_a_folder_whose_sockets_have_too_long_paths_is_refused(tmp_path: Path) -> None:
    """containerd would only be waited for in vain."""
    folder = tmp_path / ("x" * 90)
    variables = {"TOUCHSTONE_ENGINE": str(folder), "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}

    done = subprocess.run(
        ["containers/engine", "start"],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=_WITHIN,
        check=False,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"no container engine: {folder} is too long a path")
    assert not folder.exists()


def _in_a_machine(image: str, **variables: str) -> str:
    """What the script says that runs in a machine with this image; AssertionError if it fails."""
    # the paths of sockets are short: those of tmp_path grow with the names and numbers of tests
    folder = Path(tempfile.mkdtemp(prefix="touchstone-engine-"))
    environment = {
        **os.environ,
        **variables,
        "PYTHON": sys.executable,
        "TOUCHSTONE_ENGINE": str(folder),
        "DOCKER_HOST": f"unix://{folder}/none.sock",
        ContainerArtemis.images.variable: image,
    }
    try:
        with subprocess.Popen(["docker", "save", image], stdout=subprocess.PIPE) as packed:
            done = subprocess.run(
                [*_MACHINE, "bash", "-c", _SCRIPT],
                cwd=ROOT,
                env=environment,
                stdin=packed.stdout,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=_WITHIN,
                check=False,
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert done.returncode == 0, done.stdout
    return done.stdout
