"""How programs with browsers are drawn: what they look at is sent, consumed and given back."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from jms_model.delivery.browser_rules import Browser, Enumeration
from jms_model.delivery.choosing import CONDITIONS, KINDS, X_IS_1
from jms_model.delivery.provider import QUEUE, ModelProvider
from jms_model.delivery.rules import FACTORY
from jms_model.delivery.session import AUTO, CLIENT, DUPS_OK, TRANSACTED
from touchstone.drawn.sessions.drawing import BROWSERS, CLIENT_ID, TEXTS, Drawing
from touchstone.drawn.sessions.program import Program, Step

_MODES: Final = st.sampled_from([CLIENT, CLIENT, TRANSACTED, TRANSACTED, AUTO, DUPS_OK])
_SELECTORS: Final = st.sampled_from(
    [None, None, None, None, "", "", "", X_IS_1, X_IS_1, *CONDITIONS]
)
_QUEUES: Final = st.sampled_from([f"{QUEUE}0", f"{QUEUE}0", f"{QUEUE}0", f"{QUEUE}1"])
_KINDS: Final = st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=4)
_GETTERS: Final = ("queue", "message_selector", "enumeration")
_ROUNDS: Final = st.integers(1, 4)
_COUNT: Final = st.integers(0, 3)
_ONE_OF: Final = {count: st.integers(0, count - 1) for count in (2, 3, 4)}


@st.composite
def programs_with_browsers(draw: DrawFn) -> Program:
    """Programs that look at queues, consume from them, and receive what is left."""
    model = ModelProvider(draw(st.booleans()))
    browsing = _Browsing(BROWSERS, model, draw=draw)
    browsing.adds(Step(FACTORY, "create_connection", (CLIENT_ID,), "c0"))
    browsing.adds(Step("c0", "create_session", (AUTO,), "s0"))
    browsing.adds(Step("c0", "create_session", (draw(_MODES),), "s1"))
    browsing.adds(Step("c0", "start"))
    for _ in range(draw(_ROUNDS)):
        browsing.sends()
        browsing.opens()
        browsing.reads()
        browsing.meanwhile()
        browsing.reads()
        browsing.closes()
    browsing.looks_at_the_rest()
    return Program(model.simplified, browsing.steps)


class _Browsing(Drawing):
    """Such a program in the making."""

    def __init__(self, subject: str, model: ModelProvider, *, draw: DrawFn) -> None:
        super().__init__(subject, model)
        self._draw = draw

    def _one_of(self, count: int) -> bool:
        return self._draw(_ONE_OF[count]) == 0

    def sends(self) -> None:
        """Some messages for a queue, mostly by one session."""
        queue = self._draw(_QUEUES)
        for kind in self._draw(_KINDS):
            args = (queue, self._draw(TEXTS), kind, "producer")
            self.adds(Step("s0", "send", args))

    def opens(self) -> None:
        """A browser, which may tell of itself."""
        name = self.new("b")
        self.adds(Step("s0", "create_browser", (self._draw(_QUEUES), self._draw(_SELECTORS)), name))
        for getter in _GETTERS[:2]:
            if not self._one_of(3):
                self.adds(Step(name, getter))
        self.adds(Step(name, "enumeration", (), self.new("e")))

    def reads(self) -> None:
        """Enumerations go on, in turn, by themselves or to their end, and one begins anew."""
        browsers = [name for name, each in self.model.of_kind(Browser).items() if not each.closed]
        if browsers and self._one_of(2):
            self.adds(Step(self._draw(st.sampled_from(browsers)), "enumeration", (), self.new("e")))
        for name in [*self.model.of_kind(Enumeration)][-2:]:
            at_most = 20 if self._one_of(2) else self._draw(_COUNT)
            for _ in range(at_most):
                if not self._goes_on(name):
                    break

    def _goes_on(self, name: str) -> bool:
        """An element more; False behind the end, where it is asked for another all the same."""
        for _ in range(self._draw(_COUNT)):
            self.adds(Step(name, "more"))
        enumeration: Enumeration = self.model.objects[name]
        is_left = bool(enumeration.left) and enumeration.is_certain
        self.adds(Step(name, "next", (), makes := self.new("m")))
        if makes in self.model.objects:
            if self._one_of(2):
                self.adds(Step(makes, "content"))
            if self._one_of(4):
                self.adds(Step(makes, "change"))
        if not is_left:
            self.adds(Step(name, "more"))
        return is_left

    def meanwhile(self) -> None:
        """Messages are sent or consumed, and settled, given back or held."""
        if self._one_of(2):
            self.sends()
        if self._one_of(3):
            return
        transacted = self.model.objects["s1"].transacted
        name = self.new("k")
        self.adds(Step("s1", "create_consumer", (self._draw(_QUEUES), None), name))
        for _ in range(self._draw(_COUNT)):
            self.adds(Step(name, "receive", (), received := self.new("m")))
            self.adds(Step(received, "delivery"))
            if self._one_of(2):
                self.reads()
        ends = ("commit", "rollback") if transacted else ("acknowledge", "recover")
        if self._one_of(2):
            self.adds(Step(name, "close"))
        if not self._one_of(4):
            end = ends[self._draw(_ONE_OF[2])]
            on = "s1"
            if end == "acknowledge" and not self.model.simplified:
                on = received if self.model.objects.get(received := self._last_received()) else on
            self.adds(Step(on, end))
        if not self._one_of(4):
            self.adds(Step(name, "close"))

    def _last_received(self) -> str:
        received = [step.makes for step in self.steps if step.method == "receive"]
        return received[-1] if received else ""

    def closes(self) -> None:
        """A browser, perhaps again, which then refuses all."""
        browsers = [*self.model.of_kind(Browser)]
        if not browsers or self._one_of(2):
            return
        name = self._draw(st.sampled_from(browsers))
        for _ in range(1 + self._draw(_COUNT)):
            self.adds(Step(name, "close"))
        for getter in _GETTERS:
            if not self._one_of(3):
                makes = self.new("e") if getter == "enumeration" else ""
                self.adds(Step(name, getter, (), makes))
