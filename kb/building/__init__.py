"""Builds: reads sources in worker processes and writes the knowledge base."""
