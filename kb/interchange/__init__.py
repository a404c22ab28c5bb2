"""Interchange: writes the whole graph in formats that other tools read, one file a format."""
