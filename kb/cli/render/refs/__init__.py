"""Prints references, paths and rankings."""
