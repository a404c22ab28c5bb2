"""Question answering: parses a question, finds candidate passages, ranks and reranks them."""
