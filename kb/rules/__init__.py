"""The rules of a game through its editions: how much is loaded, and which rule became which."""
