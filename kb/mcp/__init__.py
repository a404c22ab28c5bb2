"""The server for assistants: questions to a knowledge base as tools of the Model Context Protocol.

It needs the package `mcp` (the extra of that name); `sansho mcp` alone loads this package.
"""
