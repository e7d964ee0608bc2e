"""What scenarios may import besides jmsapi."""

from jms_brokers.brokers.interface import Broker as BrokerControl
from jms_brokers.brokers.interface import BrokerAddress
from jms_brokers.brokers.limits import Resource, Scope
from jms_brokers.damage import PARTS, Part, Poison, damaged
from jms_brokers.errors import BrokerError
from jms_brokers.faults.rules import CUT_BEFORE, DROP, HOLD, PASS, Answer, Direction
from jms_brokers.machine.patience import patience
from jms_brokers.machine.polling import until
from jms_brokers.machine.slack import Slack
from jms_brokers.shared.cut_frames import Point
from jms_brokers.shared.queue_view import QueueView
from jms_clients.errors import ClientError
from touchstone.catalogue.registry import Catalogue, Document
from touchstone.drawn.async_sends.judging import judge_drawn_async_sends
from touchstone.drawn.closing.judging import judge_drawn_closing
from touchstone.drawn.credentials.judging import judge_drawn_credentials
from touchstone.drawn.foreign_messages.judging import judge_drawn_messages_of_others
from touchstone.drawn.message_judging import judge_drawn
from touchstone.drawn.pulsar_wire.judging import (
    judge_drawn_foreign_messages,
    judge_drawn_partitions,
    judge_drawn_wire,
)
from touchstone.drawn.redelivery_limits.judging import judge_drawn_redelivery_limits
from touchstone.drawn.resources.judging import judge_drawn_resources
from touchstone.drawn.selectors.judging import judge_drawn_selectors
from touchstone.drawn.session_modes.judging import judge_drawn_session_modes
from touchstone.drawn.sessions.judging import judge_drawn_sessions
from touchstone.drawn.snapshots.judging import judge_drawn_snapshots
from touchstone.drawn.subscriptions.judging import judge_drawn_subscriptions
from touchstone.drawn.times.judging import judge_drawn_times
from touchstone.outcomes.endings import not_applicable
from touchstone.outcomes.failures import CLIENT_FAILURES, is_raised_by_client
from touchstone.results.histories import verify_history
from touchstone.scenario import checks, strategies
from touchstone.scenario.bodies import KINDS, compose, content_of, kind_of
from touchstone.scenario.bounds import bounded, in_time, timed
from touchstone.scenario.cuts import FOR_GOOD, Cuts
from touchstone.scenario.either_version import (
    SENDS_ONLY_SYNCHRONOUSLY,
    body_of,
    durable_consumer,
    if_there_is,
)
from touchstone.scenario.ended_transactions import EndedTransactions
from touchstone.scenario.faults import Faults
from touchstone.scenario.fixtures import at_work, prefers
from touchstone.scenario.judgement import judging, observe
from touchstone.scenario.log import ClientLog
from touchstone.scenario.marks import broker, needs, permissive, portable, requirement, slow
from touchstone.scenario.running import RunningScenario
from touchstone.scenario.under_test import OtherUnderTest as OtherProcess
from touchstone.scenario.under_test import UnderTest
from touchstone.scenario.waits import (
    eventually,
    nothing_before,
    receive,
    receive_all,
    refuses,
)
from touchstone.workloads.in_scenario import run_in_scenario
from touchstone.workloads.verdict import WorkloadVerdict

__all__ = [
    "CLIENT_FAILURES",
    "CUT_BEFORE",
    "DROP",
    "FOR_GOOD",
    "HOLD",
    "KINDS",
    "PARTS",
    "PASS",
    "SENDS_ONLY_SYNCHRONOUSLY",
    "Answer",
    "BrokerAddress",
    "BrokerControl",
    "BrokerError",
    "Catalogue",
    "ClientError",
    "ClientLog",
    "Cuts",
    "Direction",
    "Document",
    "EndedTransactions",
    "Faults",
    "OtherProcess",
    "Part",
    "Point",
    "Poison",
    "QueueView",
    "Resource",
    "RunningScenario",
    "Scope",
    "Slack",
    "UnderTest",
    "WorkloadVerdict",
    "at_work",
    "body_of",
    "bounded",
    "broker",
    "checks",
    "compose",
    "content_of",
    "damaged",
    "durable_consumer",
    "eventually",
    "if_there_is",
    "in_time",
    "is_raised_by_client",
    "judge_drawn",
    "judge_drawn_async_sends",
    "judge_drawn_closing",
    "judge_drawn_credentials",
    "judge_drawn_foreign_messages",
    "judge_drawn_messages_of_others",
    "judge_drawn_partitions",
    "judge_drawn_redelivery_limits",
    "judge_drawn_resources",
    "judge_drawn_selectors",
    "judge_drawn_session_modes",
    "judge_drawn_sessions",
    "judge_drawn_snapshots",
    "judge_drawn_subscriptions",
    "judge_drawn_times",
    "judge_drawn_wire",
    "judging",
    "kind_of",
    "needs",
    "not_applicable",
    "nothing_before",
    "observe",
    "patience",
    "permissive",
    "portable",
    "prefers",
    "receive",
    "receive_all",
    "refuses",
    "requirement",
    "run_in_scenario",
    "slow",
    "strategies",
    "timed",
    "until",
    "verify_history",
]
