"""Sentence vectors: passages that mean nearly what a question asks, whatever words they use."""
