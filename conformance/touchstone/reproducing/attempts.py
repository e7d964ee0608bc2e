"""Attempts to show verdicts in plain Java: programs are written, run, and held against controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from jvm_runtime import fetch
from touchstone.catalogue import Library
from touchstone.catalogue.confirmations import (
    Confirmation,
    ConfirmationOutcome,
    digest,
    messages_digest,
)
from touchstone.reproducing.confirming import Grounds, Shown, confirm
from touchstone.reproducing.control import Control
from touchstone.reproducing.folder import SOURCE, add_output, program_in
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.plan import ProgramPlan
from touchstone.reproducing.recording import NotExpressible
from touchstone.reproducing.shortening import shorten
from touchstone.reproducing.verdicts import Accusation, Reproducer, control_planning, reproducers

WRITTEN: Final = "written"
"""The outcome of a program that nobody has run."""
_TRIES: Final = 5
"""How often a program is run that shows what happens by chance, or did not come to what decides."""
_QUESTIONS: Final = 60
"""How many shorter programs are tried."""
_SHORTER_WITHIN: Final = 45.0
"""Seconds that a shorter program may take, for it may be another one that waits."""


@dataclass(frozen=True)
class Attempt:
    """What came of one program, or of the attempt to make one."""

    accusation: Accusation
    outcome: str
    folder: Path | None = None
    told: str = ""
    control: str = ""
    """The client that keeps the statement, and of which the program shows nothing; if it is not
    confirmed, the one of which it shows the same."""
    calls: int = 0
    """That the program makes; none where there is no program."""

    def as_dict(self) -> dict[str, str | int]:
        """What is printed of it."""
        return {
            "requirement": self.accusation.line["requirement"],
            "scenario": self.accusation.line["scenario"],
            "outcome": str(self.outcome),
            "folder": str(self.folder or ""),
            "told": self.told,
            "control": self.control,
            "calls": self.calls,
        }

    @property
    def confirmation(self) -> Confirmation:
        """What is kept of it: the verdict is that of a known deviation."""
        outcome, accusation = ConfirmationOutcome(self.outcome), self.accusation
        line, broker = accusation.line, accusation.broker
        why = ""
        if outcome is ConfirmationOutcome.NOT_EXPRESSIBLE:
            why = self.told.partition("\n")[0]
        elif outcome is ConfirmationOutcome.NOT_CONFIRMED and self.control:
            why = self.told.rpartition("\n")[2]
        return Confirmation(
            requirement=line["requirement"],
            scenario=line["scenario"],
            family=broker["family"],
            outcome=outcome,
            client=accusation.version,
            broker=broker["version"],
            java=accusation.java,
            date=datetime.now(UTC).date().isoformat(),
            messages=messages_digest(line["deviation"]["messages"]),
            control=self.control,
            program=digest(program_in(self.folder)) if self.folder else "",
            why=why,
        )


@dataclass(frozen=True)
class Trial:
    """Where programs are run, and of which other clients they must not show it."""

    grounds: Grounds
    controls: Sequence[Control] = field(default=())
    shortens: bool = False
    """Whether calls are left out as long as it shows the same, and the control does not."""

    def run(self, number: int, written: Attempt, program: Reproducer) -> Attempt:
        """What comes of the program of this number for a verdict."""
        folder = written.folder
        assert folder is not None
        ended = self._run(written, program)
        if ended.outcome == ConfirmationOutcome.CONFIRMED:
            ended = self._held_against_controls(number, ended)
        confirmed = ended.outcome == ConfirmationOutcome.CONFIRMED
        if confirmed and self.shortens and ended.control:
            ended = self._shortened(number, ended, program)
        add_output(folder, ended.told, ended.control if confirmed else "")
        return ended

    def _run(self, written: Attempt, program: Reproducer) -> Attempt:
        accusation, folder = written.accusation, written.folder
        assert folder is not None
        address = self.grounds.address(accusation.broker)
        by_chance = accusation.line["by_chance"]
        for _ in range(_TRIES):
            shown = confirm(folder, program.jars(), address, program.java)
            if shown.outcome is ConfirmationOutcome.CONFIRMED:
                break
            if not (by_chance or shown.ended_early):
                break
        return replace(written, outcome=shown.outcome, told=shown.told)

    def _held_against_controls(self, number: int, confirmed: Attempt) -> Attempt:
        for control in self.controls:
            if confirmed.accusation.judged in control.kept:
                whole = partial(_whole_program, confirmed.accusation, control, number)
                shown = self._shown_of(control, whole)
                if shown.outcome is ConfirmationOutcome.CONFIRMED:
                    told = f"{shown.told}{control.client} keeps the statement, and shows the same"
                    outcome = ConfirmationOutcome.NOT_CONFIRMED
                    return replace(confirmed, outcome=outcome, told=told, control=control.client)
                if shown.differs:
                    return replace(confirmed, control=control.client)
        return confirmed

    def _shortened(self, number: int, confirmed: Attempt, program: Reproducer) -> Attempt:
        """The program without what it does not need, written anew and run."""
        accusation, folder = confirmed.accusation, confirmed.folder
        assert folder is not None
        control = next(each for each in self.controls if each.client == confirmed.control)
        address = self.grounds.address(accusation.broker)
        planning = control_planning(accusation, control, number)

        def shows_it(left_out: Set[int]) -> bool:
            with TemporaryDirectory(prefix="touchstone-shorter-") as made:
                try:
                    program.write(Path(made), left_out)
                    shown = confirm(
                        Path(made), program.jars(), address, program.java, _SHORTER_WITHIN
                    )
                except NotExpressible:
                    return False
            if shown.outcome is not ConfirmationOutcome.CONFIRMED:
                return False
            other = self._shown_of(control, partial(planning, left_out))
            return other.outcome is not ConfirmationOutcome.CONFIRMED and other.differs

        left_out = shorten(program.plan(frozenset()), shows_it, _QUESTIONS)
        shorter = self._run(replace(confirmed, calls=program.write(folder, left_out)), program)
        if shorter.outcome == ConfirmationOutcome.CONFIRMED:
            return shorter
        program.write(folder)
        return confirmed

    def _shown_of(self, control: Control, planned: Callable[[], ProgramPlan]) -> Shown:
        """What the same program shows of a control."""
        try:
            program = JavaProgram(planned(), control.namespace, [control.client])
            with TemporaryDirectory(prefix="touchstone-control-") as made:
                (Path(made) / SOURCE).write_text(program.text, encoding="utf-8")
                address = self.grounds.address(control.broker)
                return confirm(Path(made), fetch.fetch(control.lock), address, control.java)
        except NotExpressible as error:
            return Shown(ConfirmationOutcome.NOT_EXPRESSIBLE, str(error))


def _whole_program(accusation: Accusation, control: Control, number: int) -> ProgramPlan:
    return control_planning(accusation, control, number)(frozenset())


def attempts(
    accusation: Accusation, base: Path, library: Library, trial: Trial | None
) -> Iterator[Attempt]:
    """What came of each program for a verdict, in a folder each: `base`, then with a number.

    Without a trial they are only written.
    """
    try:
        programs = reproducers(accusation, library)
    except NotExpressible as error:
        yield Attempt(accusation, ConfirmationOutcome.NOT_EXPRESSIBLE, told=str(error))
        return
    for number, each in enumerate(programs):
        folder = base.with_name(f"{base.name}-{number + 1}") if number else base
        try:
            written = Attempt(accusation, WRITTEN, folder, calls=each.write(folder))
            yield written if trial is None else trial.run(number, written, each)
        except NotExpressible as error:
            yield Attempt(accusation, ConfirmationOutcome.NOT_EXPRESSIBLE, told=str(error))
