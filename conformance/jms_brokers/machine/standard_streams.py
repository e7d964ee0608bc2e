"""Standard output and error that take whatever a command prints, however it was started."""

from __future__ import annotations

import io
import os
import sys


def prepare() -> None:
    """What the encoding of a stream lacks is escaped; a stream that is closed leads nowhere.

    Else the next file that is opened had its number, and got what children print.
    """
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.set_inheritable(number, True)  # it may have had the number at once
            setattr(sys, name, os.fdopen(number, "w"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
