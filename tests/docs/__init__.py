"""What the documentation says, and the tests themselves."""
