"""Streams of Java's serialization, as a Java runtime wrote them, and the values in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jmsapi import (
    Byte,
    Char,
    Double,
    Float,
    Int,
    Long,
    Short,
)

NUMBER = "7200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870"
ONE_ENTRY = "aced000577070000000100016b"
MAPS: dict[str, tuple[dict[str, Any], str]] = {
    "int": (
        {"k": Int(1)},
        ONE_ENTRY
        + "737200116a6176612e6c616e672e496e746567657212e2a0a4f781873802000149000576616c756578"
        + NUMBER
        + "00000001",
    ),
    "string": ({"k": "a"}, ONE_ENTRY + "74000161"),
    "long": (
        {"k": Long(1)},
        ONE_ENTRY
        + "7372000e6a6176612e6c616e672e4c6f6e673b8be490cc8f23df0200014a000576616c756578"
        + NUMBER
        + "0000000000000001",
    ),
    "short": (
        {"k": Short(1)},
        ONE_ENTRY
        + "7372000f6a6176612e6c616e672e53686f7274684d37133460da5202000153000576616c756578"
        + NUMBER
        + "0001",
    ),
    "byte": (
        {"k": Byte(1)},
        ONE_ENTRY
        + "7372000e6a6176612e6c616e672e427974659c4e6084ee50f51c02000142000576616c756578"
        + NUMBER
        + "01",
    ),
    "boolean": (
        {"k": True},
        ONE_ENTRY
        + "737200116a6176612e6c616e672e426f6f6c65616ecd207280d59cfaee0200015a000576616c75657870"
        + "01",
    ),
    "char": (
        {"k": Char("A")},
        ONE_ENTRY
        + "737200136a6176612e6c616e672e436861726163746572348b47d96b1a267802000143000576616c7565"
        + "7870"
        + "0041",
    ),
    "float": (
        {"k": Float(1)},
        ONE_ENTRY
        + "7372000f6a6176612e6c616e672e466c6f6174daedc9a2db3cf0ec02000146000576616c756578"
        + NUMBER
        + "3f800000",
    ),
    "double": (
        {"k": Double(1)},
        ONE_ENTRY
        + "737200106a6176612e6c616e672e446f75626c6580b3c24a296bfb0402000144000576616c756578"
        + NUMBER
        + "3ff0000000000000",
    ),
    "bytes": (
        {"k": b"\x01\x02\x03"},
        ONE_ENTRY + "757200025b42acf317f8060854e0020000787000000003010203",
    ),
    "null": ({"k": None}, ONE_ENTRY + "70"),
    "thirteen entries": (
        {
            "a": Int(1),
            "b": Int(2),
            "c": "x",
            "d": "x",
            "e": Long(3),
            "f": Byte(4),
            "g": None,
            "h": b"\x09",
            "i": b"\x08",
            "j": Int(5),
            "k": True,
            "l": False,
            "m": Char("c"),
        },
        "aced000577070000000d000161737200116a6176612e6c616e672e496e746567657212e2a0a4f781873802000"
        "149000576616c7565787200106a6176612e6c616e672e4e756d62657286ac951d0b94e08b0200007870000000"
        "0177030001627371007e00000000000277030001637400017877030001647400017877030001657372000e6a6"
        "176612e6c616e672e4c6f6e673b8be490cc8f23df0200014a000576616c75657871007e000100000000000000"
        "0377030001667372000e6a6176612e6c616e672e427974659c4e6084ee50f51c02000142000576616c7565787"
        "1007e0001047703000167707703000168757200025b42acf317f8060854e00200007870000000010977030001"
        "697571007e000a0000000108770300016a7371007e000000000005770300016b737200116a6176612e6c616e6"
        "72e426f6f6c65616ecd207280d59cfaee0200015a000576616c7565787001770300016c7371007e000e007703"
        "00016d737200136a6176612e6c616e672e436861726163746572348b47d96b1a267802000143000576616c756"
        "578700063",
    ),
}
JAVA = {
    name: bytes.fromhex(stream)
    for name, stream in json.loads(
        (Path(__file__).parent / "data/java-objects.json").read_text()
    ).items()
}
"""What ObjectOutputStream of a Java 17 runtime wrote."""

OBJECTS: dict[str, tuple[Any, str]] = {
    "string": ("hi", "aced00057400026869"),
    "hash map": (
        {"a": "b"},
        "aced0005737200116a6176612e7574696c2e486173684d61700507dac1c31660d103000246000a6c6f6164466"
        "163746f724900097468726573686f6c6478703f4000000000000c770800000010000000017400016174000162"
        "78",
    ),
    "array list": (
        ["x"],
        "aced0005737200136a6176612e7574696c2e41727261794c6973747881d21d99c7619d03000149000473697a6"
        "57870000000017704000000017400017878",
    ),
}
