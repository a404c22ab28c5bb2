"""Editions and languages of rules."""
