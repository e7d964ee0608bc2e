"""Bodies, in drawn programs: an area of statements for each kind of message."""

from jms_scenarios.requirement_ids import ids
from touchstone.api import judge_drawn, requirement

CLEARED = ids("JMS-BODY", 3, 5, 6) + ids("API-MSG", 19) + ["JMS-PROP-040"]
ARRIVED = ids("JMS-BODY", 1, 2)
CONVERTED = ids("JMS-BODY", 7, 8, range(9, 33), 37)


@requirement(
    *ids("API-TEXT", 1, 2), *ids("API-MSG", 1, 2, 10, 11, 16), "JMS-BODY-037", *CLEARED, *ARRIVED
)
def test_drawn_programs_on_text_messages(at_hand):
    """Texts are set, read in every way, cleared and sent, in any order."""
    judge_drawn(at_hand, "body", ("text",))


@requirement(
    *ids("API-OBJ", 1, 2),
    *ids("API-MSG", 7, 8, 10, 14, 16),
    *ids("JMS-BODY", 36, 37, 39),
    *CLEARED,
    *ARRIVED,
)
def test_drawn_programs_on_object_messages(at_hand):
    """Objects are set, read in every way, cleared and sent, in any order."""
    judge_drawn(at_hand, "body", ("object",))


@requirement(
    *ids("API-BYTES", range(1, 40)),
    *ids("API-MSG", 3, 4, 12, 17),
    *("JMS-BODY-034", "JMS-BODY-038"),
    *CLEARED,
    *ARRIVED,
)
def test_drawn_programs_on_bytes_messages(at_hand):
    """Values are written, read as every type, reset, cleared and sent, in any order."""
    judge_drawn(at_hand, "body", ("bytes",))


@requirement(
    *ids("API-MAP", range(1, 29)),
    *ids("API-MSG", 5, 6, 13),
    "JMS-BODY-033",
    *CONVERTED,
    *CLEARED,
    *ARRIVED,
)
def test_drawn_programs_on_map_messages(at_hand):
    """Entries are set, read as every type, listed, cleared and sent, in any order."""
    judge_drawn(at_hand, "body", ("map",))


@requirement(
    *ids("API-STREAM", range(1, 21)),
    *ids("API-MSG", 9, 15),
    "JMS-BODY-034",
    *CONVERTED,
    *CLEARED,
    *ARRIVED,
)
def test_drawn_programs_on_stream_messages(at_hand):
    """Items are written, read as every type, reset, cleared and sent, in any order."""
    judge_drawn(at_hand, "body", ("stream",))


@requirement(
    *ids("JMS-BODY", 1, 2, 7),
    "JMS-DEST-007",
    *ids("JMS-HDR", 13, 15, 17, 24),
    *ids("JMS-PROP", range(2, 12), 14, 17, 19, 21, 23, 25, 27, 29, 36, 54),
    *ids("API-MSG", 18, 19, 22, 24, 28),
    *ids("API-TEXT", range(1, 4)),
    *ids("API-OBJ", range(1, 4)),
    *ids("API-MAP", range(1, 11), 28),
    *ids("API-STREAM", range(1, 11)),
    *ids("API-BYTES", range(20, 30), 32),
)
def test_drawn_programs_on_full_messages(at_hand):
    """A message has values of all types in each part; all of them are read where it arrives."""
    judge_drawn(at_hand, "full messages", ("message", "text", "object", "map", "stream", "bytes"))
