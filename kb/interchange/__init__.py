"""Interchange: writes the graph, the termbase and aligned texts in formats that other tools read,
and reads decisions from them; one file a format."""
