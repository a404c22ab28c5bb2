"""Readers of snapshots: folders, archives, WARC files, compressed files and charsets."""
