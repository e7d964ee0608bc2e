"""LIKE, against a matcher that tries everything, and on texts made to make it slow."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from pulsar_jms.selectors.like import like
from selector_oracle import fits, forms

SHORT = st.text("ab%_", max_size=7) | st.text("ab%_!\n.", max_size=7)


@given(pattern=SHORT, value=SHORT, escape=st.none() | st.sampled_from("!%_a"))
@example(pattern="ab%ba", value="aba", escape=None)
@example(pattern="%ab%b", value="ab", escape=None)
def test_like_is_what_trying_everything_finds(pattern: str, value: str, escape: str | None) -> None:
    """JMS-SEL-034, JMS-SEL-035: the characters' meanings, and how ESCAPE takes them away."""
    assert like(pattern, escape)(value) is fits(forms(pattern, escape), value)


@given(value=SHORT, holes=st.lists(st.booleans(), min_size=7, max_size=7), data=st.data())
def test_like_finds_a_value_that_the_pattern_was_made_from(
    value: str, holes: list[bool], data: st.DataObject
) -> None:
    """JMS-SEL-034: a value fits itself with characters and runs left open."""
    pattern = ""
    for character, hole in zip(value, holes, strict=False):
        itself = f"^{character}" if character in "%_" else character
        pattern += data.draw(st.sampled_from(("_", "%", "%_", "_%"))) if hole else itself
    assert like(pattern, "^")(value)


def test_like_never_takes_a_choice_back() -> None:
    """A matcher that goes back would need more time than there is: each % doubles its work."""
    value = "a" * 20_000
    assert not like("%a" * 200 + "%b%")(value)
    assert not like("%_a" * 200 + "b")(value)
    assert like("%a_" * 200 + "%")(value)
    assert not like("%" * 20_000 + "b")(value)
