"""Queries: one file per question that people ask of a knowledge base, and shared helpers."""
