"""Writes a graph: the claims of pages, their rows, mentions, resolution, and what changed."""
