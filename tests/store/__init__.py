"""The file of a base, graphs and pictures of it."""
