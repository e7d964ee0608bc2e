"""The catalogue: requirements, documents and areas as data, and which scenario judges which."""

from touchstone.catalogue.registry import Catalogue, Document, Library, load_library
from touchstone.catalogue.requirements import Requirement, Source

__all__ = ["Catalogue", "Document", "Library", "Requirement", "Source", "load_library"]
