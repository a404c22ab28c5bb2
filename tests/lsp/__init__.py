"""The server for editors."""
