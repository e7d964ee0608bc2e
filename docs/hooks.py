"""What mkdocs calls while it builds the site: adds the pages that are made, not written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import area_pages
import finding_pages
import moving_pages
from jms_clients.readiness import program
from jms_clients.registry import load_provider, provider_names
from site_links import DOCUMENTS, for_the_site
from source_pages import FOLDER, Sources
from touchstone.catalogue import Library, load_library
from touchstone.catalogue.deviation_files import load_deviations
from touchstone.catalogue.deviations import Deviation
from touchstone.catalogue.explanations import explanations
from touchstone.catalogue.findings import known_findings
from touchstone.commands.moving import known_of

ROOT = Path(__file__).resolve().parents[1]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The order of the pages."""
    library = load_library()
    files = _findings(library)
    present = {requirement.area for requirement in library.requirements.values()}
    config.nav = [
        {"Start": "index.md"},
        {"Installing": "installing.md"},
        {
            "Judge": [
                {"A client": "judging.md"},
                {"Brokers and their versions": "broker-versions.md"},
                {"A catalogue of your own": "own-catalogue.md"},
                {"In your own CI": "ci.md"},
                {"Pairs of clients": "interop.md"},
                {"Large histories": "volume.md"},
                {"Programs that nobody wrote": "model.md"},
            ]
        },
        {
            "Results": [
                {"Reading them": "reports.md"},
                {"Reproducers": "reproduce.md"},
                {
                    "Findings": [
                        "findings/index.md",
                        *({name: f"findings/{name}.md"} for name in files),
                    ]
                },
                {"Moving to another client": "moving/index.md"},
            ]
        },
        {
            "The reference": [
                {"On its own": "reference.md"},
                {"Decisions": "decisions.md"},
            ]
        },
        {
            "The mapping": [
                "areas/index.md",
                *({area_pages.title(a): f"areas/{a}.md"} for a in library.areas if a in present),
            ]
        },
        {
            "Can it be believed?": [
                {"What goes unnoticed": "power.md"},
                {"The control": "control.md"},
                {"What breaks around a run": "reliability.md"},
                {"Hostile input": "fuzzing.md"},
            ]
        },
        {
            "Project": [
                {"Contributing": "contributing.md"},
                {"A new Java client": "new-java-client.md"},
                {"A new family of brokers": "new-broker.md"},
                {"Files of requirements": "requirements.md"},
                {"Design": "design.md"},
                {"Changes": "changelog.md"},
                {"Security": "security.md"},
            ]
        },
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The repository's documents, the areas, and the code that they link."""
    library = load_library()
    areas = area_pages.by_area(explanations(library), library)
    sources = Sources(ROOT)
    made = {"areas/index.md": area_pages.overview(areas)}
    for area, group in areas.items():
        made[f"areas/{area}.md"] = area_pages.page(area, group, sources)
    files_of_findings = _findings(library)
    made["findings/index.md"] = finding_pages.overview(files_of_findings)
    for name, found in files_of_findings.items():
        made[f"findings/{name}.md"] = finding_pages.page(name, found, library)
    moves = moving_pages.between_all(_known(library))
    made["moving/index.md"] = moving_pages.overview(moves)
    for (old, new), move in moves.items():
        name = moving_pages.name_of(old, new)
        made[f"moving/{name}.md"] = moving_pages.page(old, new, move, library)
    for document, page in DOCUMENTS.items():
        made[page] = for_the_site((ROOT / document).read_text("utf-8"), document, ROOT)
    for path in sources.linked:
        made[f"{FOLDER}/{path}.md"] = sources.page(path)
    for page, content in made.items():
        if written := files.get_file_from_path(page):
            files.remove(written)
        files.append(File.generated(config, page, content=content))
    return files


def _findings(library: Library) -> finding_pages.Findings:
    return finding_pages.by_file(known_findings(library))


def _known(library: Library) -> Mapping[str, Sequence[Deviation]]:
    """The known deviations of each client in Java, in its usual version."""
    entries = load_deviations(library)
    named = {entry.provider for entry in entries}
    names = [name for name in provider_names() if name in named and program(load_provider(name))]
    return {name: known_of(name, entries) for name in names}
