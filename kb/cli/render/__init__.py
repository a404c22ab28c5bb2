"""Prints the results of commands as text: one file per command, and shared helpers in `common`."""
