"""The settings of the documentation's site: python -m sphinx -W docs site."""

project = "sansho"
author = "the authors of sansho"
extensions = ["myst_parser"]
myst_heading_anchors = 4
smartquotes = False  # `--` stays what it is
html_theme = "furo"
html_title = "sansho"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
