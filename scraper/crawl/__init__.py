"""Fetches the pages of a site, at the pace that it asks for, into a folder or a WARC file."""
