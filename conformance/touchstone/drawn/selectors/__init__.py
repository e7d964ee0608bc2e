"""Drawn programs that choose messages of a queue by selectors."""
