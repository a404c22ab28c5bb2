"""Tells the pages that a wiki has for itself from those about its subject, by their names."""

from __future__ import annotations

import re

# Why an edge to such a page has no target.
WIKI_PART = "part of the wiki itself, such as a search, a discussion or a file"
_OF_WIKI = re.compile(
    r"(?:[^?#]*/)?[\w-]+\.(?:php|cgi|aspx?|jsp)\b"
    r"|(?:Special|特別|User|利用者|File|ファイル|Image|画像|Template|テンプレート|Help|ヘルプ|"
    r"MediaWiki|Project|Talk|トーク|ノート)(?:[ _‐-](?:talk|トーク|ノート|会話))?:",
    re.IGNORECASE,
)


def is_of_wiki(name: str) -> bool:
    """Whether a name begins like that of a script (`search.php`), or of a page in a namespace that
    is not about the wiki's subject (`特別:`, `ファイル:`, `Talk:`), in English or Japanese, in any
    case.

    >>> is_of_wiki("特別:検索"), is_of_wiki("search.php?q=X"), is_of_wiki("引く")
    (True, True, False)
    """
    return _OF_WIKI.match(name) is not None
