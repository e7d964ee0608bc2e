"""Files of requirements: what stands once as a default, and the documents that are cited."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import jms_scenarios
from touchstone.catalogue import load_library
from touchstone.catalogue.registry import Catalogue, Document, Library
from touchstone.catalogue.requirements import Requirement
from touchstone.errors import HarnessError
from touchstone.verdicts import Strength

PACKAGE = Path(jms_scenarios.__file__).parent
DOCUMENTS = """
[told]
title = "What was told"
date = "2024"
address = "https://told.example"

[heard]
title = "What was heard"
"""
ONE = """
id = "TRY-ONE-001"
area = "ones"
statement = "One thing holds."
"""
SOURCE = 'source = [{ document = "told", section = "1" }]'

Read = Callable[..., Requirement]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads the one requirement of a catalogue with these files."""
    package = tmp_path / "tried_requirements"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    def read(requirements: str, documents: str = DOCUMENTS) -> Requirement:
        (package / "try.toml").write_text(requirements)
        (package / "documents.toml").write_text(documents)
        document = Document("TRY", "The tried document", "try.toml")
        library = Library((Catalogue("try", package.name, (document,), ("ones",)),))
        (requirement,) = library.requirements.values()
        return requirement

    return read


def test_what_nobody_says_is_as_usual(read: Read) -> None:
    requirement = read(f"[[requirement]]{ONE}{SOURCE}")

    assert requirement.strength is Strength.MUST
    assert requirement.as_dict() == {
        "id": "TRY-ONE-001", "area": "ones", "statement": "One thing holds.",
        "document": "TRY", "strength": "must", "negative": False, "note": "",
        "source": [
            {
                "document": "told", "title": "What was told", "address": "https://told.example",
                "section": "1",
            },
        ],
    }  # fmt: skip


def test_the_file_says_once_what_its_requirements_leave_out(read: Read) -> None:
    requirement = read(
        '[defaults]\ndocument = "heard"\nstrength = "may"\nsupport = "core"\nnegative = true\n'
        f'[[requirement]]{ONE}support = "native"\n'
        'source = [{ section = "1" }, { document = "told", section = "2" }]'
    )

    assert [str(source) for source in requirement.source] == [
        "What was heard, 1",
        "What was told, 2",
    ]
    assert requirement.strength is Strength.MAY
    assert requirement.fields["support"] == "native"
    assert requirement.fields["negative"] is True


@pytest.mark.parametrize(
    ("requirements", "said"),
    [
        (f"[[requirement]]{ONE}", "TRY-ONE-001 is incomplete: KeyError"),
        (f"[[requirement]]{ONE}source = []", "TRY-ONE-001 is incomplete.*source is empty"),
        (f'[[requirement]]{ONE}source = [{{ section = "1" }}]', "document is None, and no text"),
        (f'[[requirement]]{ONE}source = [{{ document = "told" }}]', r"KeyError\('section'\)"),
        (
            f'[[requirement]]{ONE}source = [{{ document = "seen", section = "1" }}]',
            "try.toml: the requirement TRY-ONE-001 cites the unknown document 'seen'",
        ),
        (
            f'[defaults]\ndocument = "seen"\n[[requirement]]{ONE}source = [{{ section = "1" }}]',
            "try.toml: the requirement TRY-ONE-001 cites the unknown document 'seen'",
        ),
        (f'[[requirement]]{ONE}{SOURCE}\nstrength = "shall"', "'shall' is not a valid Strength"),
        (f"defaults = 3\n[[requirement]]{ONE}{SOURCE}", "try.toml.*no table"),
        (f"[defaults]\n{SOURCE}\n[[requirement]]{ONE}", r"try.toml.*\[defaults\] has source"),
        ("[defaults]", "try.toml cannot be read: KeyError"),
        (f"[default]\n[[requirement]]{ONE}{SOURCE}", "try.toml.*unknown table 'default'"),
        (f"[[requirement]]{ONE.replace('ones', 'twos')}{SOURCE}", "of the unknown area 'twos'"),
        (f"[[requirement]]{ONE}{SOURCE}\n" * 2, "TRY-ONE-001 is used twice"),
        (f"[[requirement]]{ONE.replace('TRY', 'OTH')}{SOURCE}", "does not begin with TRY-"),
    ],
)
def test_a_file_at_fault_is_named_with_its_fault(read: Read, requirements: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        read(requirements)


def test_the_known_documents_are_named_where_one_is_unknown(read: Read) -> None:
    with pytest.raises(HarnessError) as refused:
        read(f'[[requirement]]{ONE}source = [{{ document = "seen", section = "1" }}]')

    assert refused.value.hint == "The catalogue's table of documents has heard, told."


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ("told = 3", "documents.toml cannot be read: .*told is no table"),
        ('[told]\ndate = "2024"', "told has no title"),
        ('[told]\ntitle = ""', "title of told is '', and no text"),
        ('[told]\ntitle = "A"\ndate = 2024', "date of told is 2024, and no text"),
        ('[told]\ntitle = "A"\nurl = "a"', "told has the unknown key 'url'"),
        ('[told]\ntitle = "A"\n[told]\ntitle = "B"', "documents.toml cannot be read"),
    ],
)
def test_a_table_of_documents_at_fault_is_refused(read: Read, documents: str, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        read(f"[[requirement]]{ONE}{SOURCE}", documents)


def test_a_catalogue_without_its_documents_is_refused(read: Read, tmp_path: Path) -> None:
    read(f"[[requirement]]{ONE}{SOURCE}")
    (tmp_path / "tried_requirements/documents.toml").unlink()
    document = Document("TRY", "The tried document", "try.toml")
    library = Library((Catalogue("try", "tried_requirements", (document,), ("ones",)),))

    with pytest.raises(HarnessError, match=r"documents\.toml cannot be read"):
        assert library.requirements


def test_each_document_of_the_table_is_cited() -> None:
    requirements = load_library().requirements.values()
    cited = {source.document.id for requirement in requirements for source in requirement.source}

    tables = re.findall(r"(?m)^\[(.+)\]$", (PACKAGE / "documents.toml").read_text("utf-8"))
    assert sorted(cited) == sorted(tables)


def test_the_described_format_is_that_of_the_files(read: Read) -> None:
    described = (PACKAGE / "requirements/README.md").read_text("utf-8")
    (shown,) = re.findall(r"(?ms)^```toml\n(.*?)^```", described)
    shown = shown.replace("JMS-PROP-003", "TRY-ONE-001").replace("properties", "ones")
    assert read(shown, '[jakarta-messaging]\ntitle = "A"').fields["support"] == "core"

    fields = {
        name for requirement in load_library().requirements.values() for name in requirement.fields
    }
    assert fields <= set(re.findall(r"`(\w+)`", described))
