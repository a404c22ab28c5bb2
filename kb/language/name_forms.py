"""The forms of keys by which names are compared, and whose names have keys."""

from graphs.model import NodeKind

# The nodes whose names people look up; those of the others are sentences.
NAMED_KINDS: tuple[NodeKind, ...] = ("term", "card", "rule", "page")

SPELLING = "spelling"  # `spelling_key` of the name
KANA = "kana"  # `sound_key` of a name in kana, or of a reading that a page states
MADE = "made"  # `sound_key` of the likeliest reading that Sudachi makes for the name
MADE_OTHERWISE = "made otherwise"  # of one of its other readings
