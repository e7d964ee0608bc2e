"""Whether the verdicts stay the same, run after run in random order."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import kept
from bench.catalogue import run
from touchstone.verdicts import Verdict


@dataclass(frozen=True)
class StabilityRun:
    """One run of the whole catalogue; `verdicts` is the worst verdict of each requirement."""

    seed: int
    seconds: float
    status: int
    counts: dict[str, int]
    verdicts: dict[str, str]
    violated: dict[str, str]
    """Why each requirement is VIOLATES."""


def runs(
    provider: str, workers: int, count: int, options: Sequence[str] = ()
) -> Iterator[StabilityRun]:
    """Run the catalogue, or what `options` choose, `count` times, each with a seed of its own."""
    with tempfile.TemporaryDirectory(prefix="touchstone-bench-") as folder:
        for _ in range(count):
            status, seconds, results = run(provider, workers, Path(folder), *options)
            [name] = {judgement.provider for judgement in results.judgements}
            verdicts = results.worst_by_requirement(name)
            yield StabilityRun(
                results.run.seed,
                round(seconds, 1),
                status,
                {verdict.value: number for verdict, number in results.counts(name).items()},
                {requirement: verdict.value for requirement, verdict in verdicts.items()},
                {
                    judgement.requirement: judgement.reason or ""
                    for judgement in results.judgements
                    if judgement.verdict is Verdict.VIOLATES
                },
            )


def changing_verdicts(seen: Sequence[StabilityRun]) -> dict[str, list[str]]:
    """The requirements whose verdict was not always the same, with the verdicts run by run."""
    ids = sorted({requirement for stability_run in seen for requirement in stability_run.verdicts})
    by_run = {
        id_: [stability_run.verdicts.get(id_, "not judged") for stability_run in seen]
        for id_ in ids
    }
    return {id_: verdicts for id_, verdicts in by_run.items() if len(set(verdicts)) > 1}


def keep(provider: str, seen: Sequence[StabilityRun], document: str | None = None) -> Path:
    """Write what was seen to bench/results; gives the file."""
    figures = [
        {
            "seed": stability_run.seed,
            "seconds": stability_run.seconds,
            "status": stability_run.status,
            "counts": stability_run.counts,
        }
        for stability_run in seen
    ]
    arguments = {"provider": provider, "document": document, "runs": len(seen)}
    return kept.keep("stability", arguments, {"runs": figures, "changing": changing_verdicts(seen)})
