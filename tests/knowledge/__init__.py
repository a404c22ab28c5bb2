"""What is extracted from pages and resolved."""
