"""Records of a run's files: JSON that fits the schema, or an error that names file and line."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

T = TypeVar("T")


class ResultsError(Exception):
    """A results directory cannot be read; the message names the file, the line and what to do."""


@functools.cache
def validator(definition: str) -> Draft202012Validator:
    """Validator for `run` or `verdict` of results.schema.json."""
    from jsonschema import Draft202012Validator

    text = files("touchstone_reports").joinpath("results.schema.json").read_text("utf-8")
    schema = json.loads(text)
    return Draft202012Validator(
        {"$schema": schema["$schema"], "$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    )


def complaint(definition: str, record: object) -> str | None:
    """Why a record does not fit the schema, naming the field; None when it fits.

    Raises nothing: the caller knows the file and line and says them.
    """
    from jsonschema.exceptions import best_match

    error = best_match(validator(definition).iter_errors(record))
    if error is None:
        return None
    at = ".".join(str(part) for part in error.absolute_path)
    message = error.message if len(error.message) <= 300 else f"{error.message[:300]} ..."
    return f"{at}: {message}" if at else message


def records(
    path: Path,
    lines: Sequence[bytes],
    definition: str,
    make: Callable[[Mapping[str, Any]], T],
    first: int,
) -> Iterable[T]:
    """What `make` makes of each line's record; `ResultsError` at the first that does not fit."""
    for number, line in enumerate(lines, first):
        if not line.strip():
            continue
        try:
            record = parse_json(line.decode("utf-8"))
        except ValueError as error:
            raise ResultsError(f"{path}:{number}: not a line of JSON: {error}") from error
        if wrong := complaint(definition, record):
            raise ResultsError(f"{path}:{number}: {wrong}")
        try:
            yield make(record)
        except ValueError as error:
            raise ResultsError(f"{path}:{number}: {error}") from error


def parse_json(text: str) -> Any:
    """The value of a JSON text; `ValueError` for anything else, NaN and too deep a nesting too."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON; write it as a string")
