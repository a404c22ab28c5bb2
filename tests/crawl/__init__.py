"""Crawls."""
