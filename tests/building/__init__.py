"""Builds: first and second ones, in shards, of many pages."""
