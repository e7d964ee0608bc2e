"""Statements on what travels, judged by programs that nobody wrote."""
