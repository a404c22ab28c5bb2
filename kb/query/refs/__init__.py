"""Answers what refers to what: references, paths, rankings, the citations between chapters."""
