"""The table that maps consumers to subscriptions, with one row that says something else."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from pulsar_jms.mapping.subscriptions import SUBSCRIPTIONS, ConsumerKind


def row_changed(kind: ConsumerKind, **change: Any) -> AbstractContextManager[object]:
    """One row of the mapping table says something else in the columns of `change`."""
    return patch.dict(SUBSCRIPTIONS, {kind: SUBSCRIPTIONS[kind]._replace(**change)})
