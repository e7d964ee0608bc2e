"""The catalogue: requirements, documents and areas as data, and which scenario judges which."""

from touchstone.catalogue.registry import Catalogue, Document, Library, known_library, load_library
from touchstone.catalogue.requirements import Requirement
from touchstone.catalogue.sources import Source, SourceDocument

__all__ = [
    "Catalogue",
    "Document",
    "Library",
    "Requirement",
    "Source",
    "SourceDocument",
    "known_library",
    "load_library",
]
