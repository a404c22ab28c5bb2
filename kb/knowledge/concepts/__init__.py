"""Concepts: which terms of several games are the same, by what defines them."""
