"""The entry filter of Starlight for JMS, a plug-in of the broker that evaluates selectors there.

It lies as an archive (NAR) inside a jar of 73 MB, which is fetched when the profile `filters` is
first used; the archive of 2.4 MB is then kept in the cache by itself.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from jms_brokers.errors import BrokerError
from jms_brokers.families.pulsar.profiles import Configuration
from jvm_runtime import fetch, locks, progress
from jvm_runtime.cache import cache_folder, write_atomically
from jvm_runtime.jvm_errors import JvmRuntimeError

_PROGRAM = "starlight-filter"
_INSIDE = "filters/jms-filter.nar"


def archive(*, offline: bool, show: progress.Progress) -> Path:
    """The archive, alone in its folder; fetched if need be; raises BrokerError."""
    try:
        lock = locks.load(_PROGRAM)
        kept = cache_folder() / "filters" / lock.jars[0].sha256[:16] / Path(_INSIDE).name
        if not kept.exists():
            [jar] = fetch.fetch(lock, offline=offline, progress=show)
            with zipfile.ZipFile(jar) as content:
                write_atomically(kept, content.read(_INSIDE))
    except JvmRuntimeError as error:
        raise BrokerError(
            f"No broker with the filter of Starlight for JMS: {error.message}", hint=error.hint
        ) from error
    return kept


def settings(folder: str, unpacked: str) -> Configuration:
    """Return the settings of a broker with the filter in `folder`, which it unpacks elsewhere."""
    return {
        "entryFilterNames": "jms",
        "entryFiltersDirectory": folder,
        "narExtractionDirectory": unpacked,
        "jmsProcessingMode": "full",
    }
