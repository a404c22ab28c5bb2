"""Prints what a name names."""
