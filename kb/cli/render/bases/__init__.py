"""Prints what a base is made of: builds, crawls, audits, sums."""
