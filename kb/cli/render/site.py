"""Prints what a site has that was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.cli.render.output import counted, dim, echo, field, total

if TYPE_CHECKING:
    from kb.web.site import SiteReport


def print_site(result: SiteReport) -> None:
    """Print how many pages there are, what readers are told of the texts, and what to mind."""
    for lang, pages in result.pages.items():
        field(lang, counted(pages, "page"))
    field("search", "by name, in the browser" if result.search else "left out: too many names")
    for line in result.notice.splitlines():
        field("notice", line)
    total(f"wrote {result.bytes / 1e6:,.1f} MB into {result.folder}; open index.html")
    echo(dim("It has the texts whole: who publishes the folder passes them on (docs/rights.md)."))
