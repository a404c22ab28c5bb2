"""Fetches pages considerately into a snapshot folder or a WARC file."""
