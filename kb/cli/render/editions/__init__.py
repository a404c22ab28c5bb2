"""Prints editions compared, and languages side by side."""
