"""Browsers and memory: what copies take, until when, and what limits it."""

from jms_scenarios.traffic import numbered, texts
from touchstone.api import body_of, eventually, judging, observe, permissive, requirement, slow

MANY = 1000
LARGE = 100_000
"""Characters of a message, for what is said of memory."""
ONE_OF_MANY = "0500" + "x" * LARGE


@requirement("RMQ-BRW-029")
def test_copy_that_was_read_is_let_go(jms, put, browser):
    """Once the application dropped a copy, a collection frees it, though the enumeration lives."""
    put(numbered(3))
    with jms.memory() as memory:
        enumeration = browser.enumeration
        watched = [memory.watch(next(enumeration))]

        eventually(lambda: not watched[0](), within=30.0)

        assert texts(enumeration) == ["message-2", "message-3"]


@requirement("RMQ-BRW-030")
def test_unread_copies_stay_in_memory(jms, put, browser):
    """Of three copies of 3 MB the two unread ones hold memory until the enumeration is dropped."""
    size = 3_000_000
    put(["a" * size, "b" * size, "c" * size])
    with jms.memory() as memory:
        kept = [browser.enumeration]  # a name would be kept by whoever looks at the frame
        whole = memory.held()
        length = len(body_of(next(kept[0]), str))
        assert length == size

        eventually(lambda: memory.held() <= whole - size // 2, within=30.0)
        rest = memory.held()
        kept.clear()

        eventually(lambda: rest - memory.held() >= 1.5 * size, within=30.0)
        observe("bytes of two unread copies of 3 MB", rest - memory.held())


@slow
@permissive
@requirement("RMQ-BRW-031", "RMQ-BRW-032")
def test_long_queue_may_take_much_memory(jms, put, browser, selecting):
    """A thousand messages of 100 kB can be browsed, and one of them; what it takes is noted."""
    sent = put([f"{number:04}" + "x" * LARGE for number in range(MANY)], selected={ONE_OF_MANY})

    with jms.memory() as memory:
        with judging("RMQ-BRW-031"):
            listed, peak = memory.peak(lambda: texts(browser.enumeration))
            observe("peak of browsing 1000 messages of 100 kB, in MB", peak // 1_000_000)
            assert listed == sent
        with judging("RMQ-BRW-032"):
            listed, peak = memory.peak(lambda: texts(selecting.enumeration))
            observe("peak of selecting one of them, in MB", peak // 1_000_000)
            assert listed == [ONE_OF_MANY]


@requirement("RMQ-BRW-033")
def test_only_the_limit_guards_memory(jms, queue, put, browser):
    """Without a limit 300 messages of 100 kB are copied; with a limit of ten, a fraction."""
    sent = put([f"{number:04}" + "x" * LARGE for number in range(300)])
    limited = jms.connection({"queueBrowserReadMax": 10}).create_session().create_browser(queue)

    with jms.memory() as memory:
        (all_of_them, peak), (ten, small) = (
            memory.peak(lambda: browser.enumeration),
            memory.peak(lambda: limited.enumeration),
        )
    observe("peaks without and with the limit, in MB", [peak // 1_000_000, small // 1_000_000])
    assert peak >= 300 * LARGE
    assert small <= peak / 2
    assert texts(ten) == sent[:10]
    assert texts(all_of_them) == sent
