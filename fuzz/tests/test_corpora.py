"""Each kept input again: it raises what is promised, and takes little memory and CPU time."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.judging import judge
from fuzz.targets import ROOT, Target, all_targets

pytestmark = pytest.mark.thorough

_TARGETS = {target.name: target for target in all_targets()}
_KEPT = [
    pytest.param(target, path, id=f"{target.name}/{path.name}")
    for target in _TARGETS.values()
    if target.corpus.is_dir()
    for path in sorted(target.corpus.iterdir())
]


@pytest.mark.parametrize(("target", "path"), _KEPT)
def test_a_kept_input_does_nothing_wrong(target: Target, path: Path) -> None:
    assert judge(target, path.read_bytes()).fault is None


@pytest.mark.parametrize("name", _TARGETS)
def test_every_target_has_inputs_to_begin_with(name: str) -> None:
    assert any(_TARGETS[name].corpus.iterdir())


def test_every_folder_of_inputs_has_its_target() -> None:
    directories = {target.directory for target in _TARGETS.values()}
    folders = [
        path for directory in directories for path in ROOT.glob(f"{directory}/tests/corpora/*")
    ]

    assert {path.name for path in folders} == {*_TARGETS}
