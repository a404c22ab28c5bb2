"""The termbase: concepts with their names in every language, their status and authority."""
