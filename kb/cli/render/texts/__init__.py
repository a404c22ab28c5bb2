"""Prints what was said of a text, and what was written to a file."""
