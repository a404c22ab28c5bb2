"""Resolves what depends on all pages: synonyms, concepts, mentions and the targets of edges."""
