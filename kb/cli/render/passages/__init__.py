"""Prints passages that were found."""
