"""Parsers of pages, a module for each family of sites, and the catalogue of sites and games.

A parser module has two functions: `recognises` says whether a text is a page of its family, and
`read` parses it into `Page` objects. `scraper.detect_format` chooses the module.
"""
