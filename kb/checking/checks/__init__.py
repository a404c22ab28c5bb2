"""What is looked for in a draft: a kind of fault each."""
