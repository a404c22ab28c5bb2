"""What people ask of the graph: one file a kind of question."""
