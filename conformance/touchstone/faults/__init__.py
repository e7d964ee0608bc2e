"""Faults on purpose: proxies in front of a broker, signals to processes, other client processes."""

from touchstone.families.amqp.proxy import AmqpProxy
from touchstone.families.pulsar.proxy import PulsarProxy
from touchstone.faults.byte_proxy import ByteProxy
from touchstone.faults.link import End
from touchstone.faults.process import OwnedProcess
from touchstone.faults.rules import (
    CUT_AFTER,
    CUT_BEFORE,
    DROP,
    HOLD,
    PASS,
    Answer,
    ArmedRule,
    Cut,
    CutAfter,
    CutBefore,
    Delay,
    Direction,
    FaultError,
    FaultTimeout,
    Frame,
)
from touchstone.providers.other_process import OtherProcess
from touchstone.providers.remote_objects import OtherProcessGone
from touchstone.scenario.faults import Faults

__all__ = [
    "CUT_AFTER",
    "CUT_BEFORE",
    "DROP",
    "HOLD",
    "PASS",
    "AmqpProxy",
    "Answer",
    "ArmedRule",
    "ByteProxy",
    "Cut",
    "CutAfter",
    "CutBefore",
    "Delay",
    "Direction",
    "End",
    "FaultError",
    "FaultTimeout",
    "Faults",
    "Frame",
    "OtherProcess",
    "OtherProcessGone",
    "OwnedProcess",
    "PulsarProxy",
]
