"""What each page of the explorer shows: one file a group of pages."""

from __future__ import annotations

from kb.web.pages.editions import align, chapters, contents, diff, impact, trace
from kb.web.pages.front_and_audit import audit, front, verify
from kb.web.pages.glossary import glossary
from kb.web.pages.nearby import commentary, preview
from kb.web.pages.node import node, show
from kb.web.pages.passages import ask, kwic, search, suggest
from kb.web.pages.programs import feed, programs
from kb.web.pages.reading import read
from kb.web.pages.references import compare, draw, outcomes, path, refs, rulings, steps, top
from kb.web.request_and_reply import Page

# The pages by their addresses below the interface's language. A question's page is called as its
# command, and `?format=json` gives what the command gives with `--json`.
PAGES: dict[str, Page] = {
    "": front,
    "align": align,
    "ask": ask,
    "audit": audit,
    "chapters": chapters,
    "commentary": commentary,
    "compare": compare,
    "contents": contents,
    "diff": diff,
    "draw": draw,
    "kwic": kwic,
    "node": node,
    "node/{id:path}": node,
    "outcomes": outcomes,
    "path": path,
    "preview": preview,
    "preview/{id:path}": preview,
    "programs": programs,
    "read": read,
    "refs": refs,
    "rulings": rulings,
    "search": search,
    "show": show,
    "steps": steps,
    "suggest": suggest,
    "top": top,
    "feed": feed,
    "glossary": glossary,
    "impact": impact,
    "trace": trace,
    "verify": verify,
}
