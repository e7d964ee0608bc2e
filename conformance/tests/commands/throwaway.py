"""An environment for one test: it has what ours has, and what a page or a skeleton installs."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import venv
from pathlib import Path

COMMANDS = ("touchstone", "pytest", "pip")


class Throwaway:
    """Commands as a reader types them, in a folder of their own, without the network."""

    def __init__(self, folder: Path) -> None:
        self._home = folder / "environment"
        self.work = folder / "work"
        self.work.mkdir()
        venv.create(self._home, symlinks=True)
        ours = sysconfig.get_path("purelib")
        variables = {"base": str(self._home), "platbase": str(self._home)}
        own = Path(sysconfig.get_path("purelib", "venv", variables))
        (own / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
        for name in COMMANDS:
            command = self._home / "bin" / name
            command.write_text(f'#!/bin/sh\nexec "{self._home}/bin/python" -m {name} "$@"\n')
            command.chmod(0o755)

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run a line of the shell."""
        environment = {
            **os.environ,
            "PATH": f"{self._home}/bin:{os.environ['PATH']}",
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        for name in ("PYTEST_ADDOPTS", "PYTHONPATH", "VIRTUAL_ENV"):
            environment.pop(name, None)
        return subprocess.run(
            ["sh", "-c", line],
            cwd=self.work, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def do(self, line: str) -> str:
        """Run a line that has to succeed; what it prints."""
        done = self.run(line)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout
