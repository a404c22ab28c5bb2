"""Reading pages: sites, markup, files and archives."""
