"""Drafts and texts held against the base."""
