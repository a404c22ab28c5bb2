"""Outcomes: what is so, must, may or cannot be done, on a condition."""
