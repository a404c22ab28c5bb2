"""Drafts: the formats in which translations are read to be checked, one file a format."""

from kb.checking.drafts.read_draft import read_draft

__all__ = ["read_draft"]
