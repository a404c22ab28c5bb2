"""The server for editors: citations, quotations and terms as one writes, by the Language Server
Protocol.

It needs the package `pygls` (the extra `lsp`); `sansho lsp` alone loads this package.
"""
