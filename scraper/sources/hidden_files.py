"""Files whose names begin with a dot: they are only read if a manifest or a person names them."""

from __future__ import annotations

import re

HIDDEN = "a hidden file; not read (name it to read it)"
# What programs keep beside pages, of which nothing needs to be said: crawls, builds and shards of
# ours, version control, systems, notebooks.
_OF_PROGRAMS = re.compile(
    r"__MACOSX|\._.*|\.crawl.*|\..+\.(?:crawl.*|lock|building|shard)|\.DS_Store|\.git.*|\.hg.*|\.svn"
    r"|\.ipynb_checkpoints",
    re.DOTALL,
)


def is_hidden(path: str) -> bool:
    """Whether a file, or a folder that it is in, is hidden.

    path: from the folder or the archive that is read, with slashes.

    >>> is_hidden("a/.b/c.html"), is_hidden("./a/b.html")
    (True, False)
    """
    parts = path.split("/")
    return any(
        (part.startswith(".") and part not in {".", ".."}) or _is_theirs(part) for part in parts
    )


def is_of_program(path: str) -> bool:
    """Whether a hidden file is a program's own, which no person would miss.

    >>> is_of_program(".git/config"), is_of_program(".引く.wiki")
    (True, False)
    """
    return any(map(_is_theirs, path.split("/")))


def _is_theirs(name: str) -> bool:
    return _OF_PROGRAMS.fullmatch(name) is not None
