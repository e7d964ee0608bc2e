"""The ids of many requirements, said shortly."""


def ids(stem: str, *numbers: int | range) -> list[str]:
    """The ids of a stem: single numbers, or ranges of them."""
    every = [number for each in numbers for number in ([each] if isinstance(each, int) else each)]
    return [f"{stem}-{number:03}" for number in every]
