"""The explorer: the knowledge base as web pages, rendered on the server."""
