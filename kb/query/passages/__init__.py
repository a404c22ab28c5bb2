"""Answers with passages: search and concordance (KWIC)."""
