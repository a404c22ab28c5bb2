"""Names: what things are called, where they are mentioned, and which names are of one term."""
