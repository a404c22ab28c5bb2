"""The file of a graph: its schema, how it is opened and written whole, and what is refused."""
