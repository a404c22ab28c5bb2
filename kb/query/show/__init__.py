"""Answers `show`: what a name or number names, with what belongs to it."""
