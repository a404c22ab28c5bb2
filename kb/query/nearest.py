"""Suggests and refuses values, as `kb.language.nearest` does, for the questions."""

from kb.language.nearest import nearest, refuse_unknown, shown

__all__ = ["nearest", "refuse_unknown", "shown"]
