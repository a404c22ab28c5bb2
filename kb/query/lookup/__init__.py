"""Finds what a person means: nodes by name, number or address; words, editions, filters."""
