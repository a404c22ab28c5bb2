"""Checks a translation against the termbase and the rules."""
