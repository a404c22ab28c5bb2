"""Parsers of printed rulebooks: PDF text, the layout of printed pages, rule numbers."""
