"""Builds the documentation's site, and fails if anything in it is wrong or comes from the net.

pip install -e '.[docs]' && python -m tests.build_site FOLDER
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

# What a page makes a reader's program fetch, other than by a click.
FETCHED = re.compile(
    r"""<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=["']?(?:https?:)?//[^"'>]*"""
)
FETCHED_BY_STYLE = re.compile(r"""@import|url\(["']?(?:https?:)?//""")


def build(site: Path) -> int:
    """Build the site into a folder; return 0, or else Sphinx's exit code. A warning is an error."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", ROOT / "docs", site]
    return subprocess.run(command, check=False).returncode


def fetched(site: Path) -> Iterator[str]:
    """Yield what the built pages and their styles fetch from elsewhere, with the file."""
    for suffix, pattern in ((".html", FETCHED), (".css", FETCHED_BY_STYLE)):
        for file in sorted(site.rglob(f"*{suffix}")):
            for found in pattern.findall(file.read_text("utf-8")):
                yield f"{file.relative_to(site)}: {found}"


def main() -> int:
    """Build the site into the folder that is named; return the exit code."""
    site = Path(sys.argv[1])
    if failed := build(site):
        return failed
    lines = list(fetched(site))
    print("\n".join(lines) or f"{site}: {len(list(site.rglob('*.html')))} pages")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
