"""Images are named by their content: what is there is not made again, what changed is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from containers import building
from containers.recipes import Image, System, recipes
from jms_brokers.errors import BrokerError


def test_an_image_that_is_there_is_not_made_again() -> None:
    image = recipes()["artemis"]
    building.build(image)

    assert building.content_of(image.tag) == image.content()
    assert not building.build(image)


@pytest.mark.parametrize("name", recipes())
def test_the_content_follows_the_parts_and_the_base(name: str) -> None:
    image = recipes()[name]
    base = image.base
    assert isinstance(base, System)

    assert replace(image).content() == image.content()
    assert replace(image, parts=(*image.parts, "more")).content() != image.content()
    other = replace(base, packages=(*base.packages, "more"))
    assert replace(image, base=other).content() != image.content()


def test_a_build_that_fails_says_where() -> None:
    image = recipes()["artemis"]
    empty = Image("touchstone/never:made", "artemis", image.base, ("none",), lambda folder: None)

    with pytest.raises(BrokerError, match="docker build") as caught:
        building.build(empty)

    assert "COPY" in caught.value.what or "lib" in caught.value.what
    assert building.content_of("touchstone/never:made") is None
