"""MapMessage: typed entries, and their names."""

from jms_scenarios.api.rows import by_method
from jms_scenarios.api.typed_values import EVERY, METHODS, TEN
from jms_scenarios.refusals import outcome
from jmsapi import Byte, Double, IllegalArgumentException, Int
from touchstone.api import requirement, strategies


def unlike(read, expected):
    """What is not there as it was put."""
    return [
        f"{name} {value!r:.40}: {read[name]!r:.60}"
        for name, value in expected.items()
        if isinstance(read[name], type) or not strategies.identical(read[name], value)
    ]


@by_method(
    "API-MAP",
    {
        f"set{name}-get{name}": (number, kind)
        for number, (kind, name) in enumerate(METHODS.items(), 1)
    },
    "kind",
)
def test_entry_is_what_was_set(jms, shown, kind):
    """Values of one type are got equal, each under its name."""
    message = jms.session().create_map_message()
    entries = {f"k{at}": value for at, value in enumerate(TEN[kind])}
    for name, value in entries.items():
        getattr(message, f"set_{kind}")(name, value)

    get = getattr(shown(message), f"get_{kind}")

    assert unlike({name: outcome(lambda n=name: get(n)) for name in entries}, entries) == []


NAMELESS = {
    **{
        f"set{name}": (11 + at, kind, TEN[kind][1])
        for at, (kind, name) in enumerate(METHODS.items())
    },
    "setObject": (21, "object", Int(-1)),
}


@by_method("API-MAP", NAMELESS, "kind", "value")
def test_entry_without_a_name_is_refused(jms, kind, value):
    """A null or empty name raises IllegalArgumentException; another is taken, and is alone."""
    message = jms.session().create_map_message()
    setter = getattr(message, f"set_{kind}")

    refused = {name: outcome(lambda n=name: setter(n, value)) for name in (None, "")}

    setter("named", value)
    assert list(message.map_names()) == ["named"]
    assert refused == dict.fromkeys((None, ""), IllegalArgumentException)


ENTRIES = {f"{kind}{at}": value for at, (kind, value) in enumerate(EVERY)}


def kind_of_entry(name):
    return name.rstrip("0123456789")


@requirement("API-MAP-022")
def test_object_that_is_got_is_of_the_type_set(jms, shown):
    """Each entry that a method of its type set is got as an object of that type."""
    message = jms.session().create_map_message()
    for name, value in ENTRIES.items():
        getattr(message, f"set_{kind_of_entry(name)}")(name, value)

    message = shown(message)

    values = {name: outcome(lambda n=name: message.get_object(n)) for name in ENTRIES}
    assert unlike(values, ENTRIES) == []


@requirement("API-MAP-023")
def test_object_that_is_set_is_an_entry_of_its_type(jms, shown):
    """Each entry that was set as an object is got by the method of its type, and as one."""
    message = jms.session().create_map_message()
    for name, value in ENTRIES.items():
        message.set_object(name, value)

    message = shown(message)

    typed = {
        name: outcome(lambda n=name: getattr(message, f"get_{kind_of_entry(n)}")(n))
        for name in ENTRIES
    }
    objects = {name: outcome(lambda n=name: message.get_object(n)) for name in ENTRIES}
    assert [unlike(typed, ENTRIES), unlike(objects, ENTRIES)] == [[], []]


@requirement("API-MAP-024")
def test_bytes_that_are_not_there_are_null(jms, shown):
    """getBytes gives None in an empty map and beside other names."""
    session = jms.session()
    other = session.create_map_message()
    other.set_bytes("there", b"\x01")

    empty, other = shown(session.create_map_message()), shown(other)

    assert (empty.get_bytes("none"), other.get_bytes("none")) == (None, None)
    assert other.get_bytes("there") == b"\x01"


@requirement("API-MAP-025")
def test_names_are_listed_once(jms, shown):
    """Of null entries and of those set twice, too; an empty map has none."""
    session = jms.session()
    message = session.create_map_message()
    message.set_int("a", 1)
    message.set_string("größe", None)
    message.set_bytes("B", b"")
    message.set_string("a", "again")
    message.set_boolean("b", False)

    empty, message = shown(session.create_map_message()), shown(message)

    assert list(empty.map_names()) == []
    assert sorted(message.map_names()) == ["B", "a", "b", "größe"]


@requirement("API-MAP-026")
def test_entry_exists_by_its_name_alone(jms, shown):
    """False, zero, empty and null entries exist; other names do not, and none in a cleared map."""
    message = jms.session().create_map_message()
    message.set_boolean("no", False)
    message.set_int("größe", 0)
    message.set_string("empty", "")
    message.set_string("null", None)
    asked = ("no", "größe", "empty", "null", "NO", "Empty", "none", "")

    message = shown(message)

    assert [name for name in asked if message.item_exists(name)] == ["no", "größe", "empty", "null"]
    message.clear_body()
    assert [name for name in asked if message.item_exists(name)] == []


@requirement("API-MAP-027")
def test_entry_that_is_set_again_is_the_latest(jms, shown):
    """A second value takes the place of the first, whatever type each is of."""
    message = jms.session().create_map_message()
    for _, value in EVERY:
        message.set_object("k", value)
    message.set_byte("k", -1)
    message.set_byte("l", 1)
    message.set_double("l", 2.0)

    message = shown(message)

    values = {name: message.get_object(name) for name in ("k", "l")}
    assert unlike(values, {"k": Byte(-1), "l": Double(2.0)}) == []


NAMES = ["a b", "1a", "a-b", "NOT", "größe", " ", "JMSType", "n" * 300]


@requirement("API-MAP-028")
def test_any_other_name_is_one(jms, shown):
    """Names that a property could not have are set, listed and got."""
    message = jms.session().create_map_message()
    refused = {}
    for at, name in enumerate(NAMES):
        error = outcome(lambda n=name, v=at: message.set_int(n, v))
        if error is not None:
            refused[name] = error.__name__

    message = shown(message)

    assert refused == {}
    assert {name: message.get_int(name) for name in message.map_names()} == {
        name: at for at, name in enumerate(NAMES)
    }
