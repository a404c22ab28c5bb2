"""What each page of the explorer shows: one file a page, or a group of pages of one kind."""

from __future__ import annotations

from kb.web.pages.front import front
from kb.web.pages.node import node, show
from kb.web.pages.search import search
from kb.web.visit import Page

# The pages by their addresses below the interface's language.
PAGES: dict[str, Page] = {
    "": front,
    "node": node,
    "node/{id:path}": node,
    "show": show,
    "search": search,
}
