"""Answers to questions in words."""
