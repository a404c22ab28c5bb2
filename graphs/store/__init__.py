"""The SQLite file of a graph: its schema, reading, full-text search, provenance, safe writing."""
