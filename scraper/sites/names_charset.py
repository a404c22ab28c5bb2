"""Tells whether the names in a wiki's URLs are in UTF-8 or in EUC-JP, by the links of one page.

Only for wikis without a record, which states it. One name may be valid in both: `%C3%A9` is `é` in
UTF-8 and `辿` in EUC-JP. Nearly every page has links whose names are valid in only one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from scraper.sites.page_address import source_of, unescaped
from scraper.sources.charset import read_euc

_LOOKED_AT = 1000  # links of a page
_ENOUGH = 16  # links that are valid in one charset alone
_LINK = re.compile(r"""href=["']([^"'>%]{0,500}%[^"'>]{2,1000})""")  # with encoded bytes
_ABSOLUTE = re.compile("[a-z]+:|//")
_JAPANESE = re.compile("[\u0800-\U0010ffff]")  # what no two bytes in UTF-8 can be
_DECLARED = re.compile(r"(?:charset|encoding)=[\"']?utf-?8\b", re.IGNORECASE)


def names_in_utf8(text: str, url: str = "") -> bool:
    """Return whether the names in the URLs of a wiki are in UTF-8, as its links on a page show.

    Links to other hosts, which may use another charset, do not count. If no link shows it, the
    charset that the page declares counts.

    text: the page, in HTML. url: its own URL, which counts as a link; or empty.

    >>> names_in_utf8('<a href="?%E5%BC%95%E3%81%8F">'), names_in_utf8('<a href="?%BB%C8%A4%A6">')
    (True, False)
    """
    shown = list(islice(_shown(text, url), _ENOUGH))
    if shown:
        return sum(shown) > len(shown) / 2
    return _DECLARED.search(text[:4096]) is not None


def _shown(text: str, url: str) -> Iterator[bool]:
    """Yield whether a link is in UTF-8, for each link that shows it; first for the page's own URL.

    text, url: as for `names_in_utf8`.
    """
    host = source_of(url)
    found = (match[1] for match in islice(_LINK.finditer(text), _LOOKED_AT))
    own = (
        link for link in found if not _ABSOLUTE.match(link) or (host and source_of(link) == host)
    )
    for link in chain([url], own):
        in_utf8 = _only_utf8(unescaped(link))
        if in_utf8 is not None:
            yield in_utf8


def text_in_utf8(data: bytes) -> bool:
    """Return whether a text is in UTF-8 and, by the characters that it has, in no other charset.

    >>> text_in_utf8("引く".encode()), text_in_utf8("é".encode())
    (True, False)
    """
    return _only_utf8(data) is True


def _only_utf8(data: bytes) -> bool | None:
    """Return True for bytes that are in UTF-8, and False for those in EUC-JP.

    None for what may be both, as every pair of bytes that is a Latin or Greek letter in UTF-8, and
    for what is neither, such as a name that is cut short.
    """
    try:
        return True if _JAPANESE.search(data.decode()) else None
    except UnicodeDecodeError:
        _, broken = read_euc(data)
        return None if broken else False
