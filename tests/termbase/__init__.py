"""The termbase and its formats."""
