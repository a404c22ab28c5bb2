"""The grammar of citations: how rules are numbered, and what says that one is cited."""
