"""Reading rulebooks."""
