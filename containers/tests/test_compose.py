"""The compose file: pinned, on the loopback address alone, of the versions that the rest has."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from containers.recipes import ROOT, recipes
from jms_brokers.shared.registry import images

TEXT = (ROOT / "docker-compose.yml").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
LOCAL = dict(
    line.split("=", 1)
    for line in (ROOT / "containers" / "local.env").read_text("utf-8").splitlines()
    if not line.startswith("#")
)


def usual_image(service: str) -> tuple[str, str]:
    """The variable that names the image of a service, and the image without it."""
    match = re.fullmatch(r"\$\{([A-Z_]+):-([^}]+)\}", SERVICES[service]["image"])
    assert match is not None
    return match[1], match[2]


@pytest.mark.parametrize("family", ["pulsar", "rabbitmq", "artemis"])
def test_brokers_are_the_images_of_the_runs(family: str) -> None:
    variable, image = usual_image(family)

    assert (variable, image) == (images(family).variable, images(family).public)
    assert LOCAL[variable] == images(family).local


def test_the_images_that_are_made_here_are_those_that_are_named() -> None:
    made = {image.tag for image in recipes().values()}

    assert set(LOCAL.values()) <= made
    assert (
        usual_image("touchstone")[1] == usual_image("spark-master")[1] == LOCAL["TOUCHSTONE_IMAGE"]
    )


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_is_published_beyond_this_machine(name: str) -> None:
    ports = SERVICES[name].get("ports", [])

    assert all(str(port).startswith("127.0.0.1:") for port in ports)


@pytest.mark.parametrize("name", ["pulsar", "rabbitmq", "artemis", "spark-master"])
def test_what_others_wait_for_has_a_health_check(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"
    assert SERVICES[name]["healthcheck"]["retries"] >= 30


def test_every_file_that_is_named_is_in_the_repository() -> None:
    named = re.findall(r"\./([\w./]+):", TEXT)

    assert named
    for name in (*named, SERVICES["touchstone"]["build"]["dockerfile"], "locks/image.txt"):
        assert (ROOT / name).is_file()


def test_the_workers_of_spark_see_the_histories_and_the_master_that_the_head_names() -> None:
    head = TEXT.partition("version:")[0]

    assert SERVICES["spark-worker"]["command"][-1] in head
    assert "results:/results" in SERVICES["spark-worker"]["volumes"]
    assert SERVICES["spark-worker"]["volumes"] == SERVICES["touchstone"]["volumes"]
    for name in re.findall(r"(?:up --detach|run --rm) ([a-z-]+)", head):
        assert name in SERVICES
