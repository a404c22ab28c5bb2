"""What commands print: one file for each command, of the same name."""
