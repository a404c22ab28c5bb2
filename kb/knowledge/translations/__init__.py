"""Translations: which rules, definitions and names in two languages say the same."""
