"""Words, names and spellings."""
