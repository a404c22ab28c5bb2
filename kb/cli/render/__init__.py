"""Prints the results of commands as text: a file or folder for each group of commands,
and beside them what they share: `output`, `places`, `node_names`, `line_breaking`, `progress`."""
