"""Answers about editions and languages: diff, trace, align."""
