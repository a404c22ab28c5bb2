"""Builds a knowledge base from shards: pieces of very large sources, each read by one task.

A task reads the pages of a shard, extracts, tokenizes, and keeps its rows as Parquet files in a
folder; one merge makes the graph of them. The graph is that of an ordinary build. Nothing here is
imported by one. Needs more than is installed by default: `pip install 'sansho[dist]'`.
"""
