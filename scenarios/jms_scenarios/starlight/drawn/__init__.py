"""Statements of Starlight's documents, judged by programs that nobody wrote."""
