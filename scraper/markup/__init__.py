"""Parsers of markup (HTML, wikitext, PukiWiki), and the builder that collects a `Page`."""
