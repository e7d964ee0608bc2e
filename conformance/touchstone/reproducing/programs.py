"""The program of plain JMS for a verdict, as a text, made of its trace and run by nobody."""

from __future__ import annotations

from touchstone.catalogue import Library
from touchstone.reproducing.java_program import JavaProgram
from touchstone.reproducing.recording import NotExpressible
from touchstone.reproducing.verdicts import Accusation, reproducers


def program_text(accusation: Accusation, library: Library) -> str:
    """The first program for a verdict; empty where there is none."""
    try:
        first, *_ = reproducers(accusation, library)
        return JavaProgram(first.plan(frozenset()), first.namespace, first.finding.about).text
    except NotExpressible:
        return ""
