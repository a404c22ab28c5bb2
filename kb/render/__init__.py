"""Answers as a person reads them in a terminal: one file a kind of answer."""
