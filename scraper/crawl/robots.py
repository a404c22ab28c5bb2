"""Parsers of robots.txt and of robots directives (`noindex`, `nofollow`) in pages and headers."""

from __future__ import annotations

import codecs
import math
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scraper.sources.capture_times import timestamp
from scraper.sources.http_body import BodyError, decode_body

if TYPE_CHECKING:
    from protego import Protego

NAME = "sansho"
LARGEST = 512 << 10  # bytes; the standard asks for at least 500 KiB to be read
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DIRECTIVE = re.compile(
    r"[ \t]*(?:user|di[as]|allow|site|crawl|request|host|visit|clean|noindex|content)"
    r"[\w-]*[ \t]*[: ]",
    re.IGNORECASE,
)
_PACE = re.compile(
    r"^([ \t]*(?:crawl|request)[-_ ]?(?:delay|rate)[ \t]*:?)[ \t]*([^#\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_AGENT = re.compile(
    r"^(?P<field>[ \t]*user[- ]?agent[ \t]*:?)[ \t]*(?P<name>\*|[A-Za-z_-]*)(?P<more>[^#\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
# Seconds, with as many digits as a float can have; and requests in seconds, minutes, hours or days,
# perhaps at times of a day.
_SECONDS = re.compile(r"(\d{1,300}(?:[.,]\d{1,300})?)\s*(?:s|sec|secs|seconds?)?", re.IGNORECASE)
_RATE = re.compile(r"(\d{1,9})\s*/\s*(\d{1,9}\s*[smhd]?)(\s+\d{4}\s*-\s*\d{4})?", re.IGNORECASE)
# Seconds, in place of a pace that is none: Protego takes no infinity, and nobody states as many.
_NO_TIME = 1e300
_OUR_NAMES = {NAME, "robots", "*"}  # whom rules are for that this crawler heeds
# The words by which the name of a crawler is told from a rule with a value.
_WORDS = {
    "all", "index", "noindex", "follow", "nofollow", "none", "archive", "noarchive", "nocache",
    "snippet", "nosnippet", "noodp", "noydir", "notranslate", "noimageindex", "indexifembedded",
}  # fmt: skip
# Rules with a value, and with a date. The bounds are guards of time: both are shorter.
_LIMIT = re.compile(r"\bmax-[\w-]{1,40} ?: ?[^ ,;]*", re.IGNORECASE)
_EXPIRY = re.compile(
    r"\bunavailable_after ?:((?: ?(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},)?[^,;]{0,60})",
    re.IGNORECASE,
)


class UnreadableRules(ValueError):
    """Raised for a robots.txt that can't be read; the message says why, after "robots.txt"."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules in the robots.txt of one host, as they apply to this crawler.

    parsed: the parsed robots.txt.
    """

    parsed: Protego

    def allow(self, url: str) -> bool:
        """Whether this crawler may ask for an address, which must be on the host of the rules.

        url: the whole address, with its scheme and host.
        """
        return bool(self.parsed.can_fetch(url, NAME))

    @property
    def delay(self) -> float:
        """The least seconds between two requests that the host asks for; 0 if it does not, and
        infinite if what stands there is no number of seconds, such as `nan` or `-1`."""
        rate = self.parsed.request_rate(NAME)
        rate_delay = rate.seconds / rate.requests if rate and rate.requests else 0.0
        delay = max(float(self.parsed.crawl_delay(NAME) or 0.0), rate_delay)
        return math.inf if delay >= _NO_TIME else delay


def parse_rules(text: str) -> Rules:
    """Parse the text of a robots.txt; an empty text allows everything.

    >>> here = parse_rules("User-agent: *\\nDisallow: /private\\nCrawl-delay: 5")
    >>> here.allow("http://a.jp/private/x"), here.allow("http://a.jp/x"), here.delay
    (False, True, 5.0)
    """
    from protego import Protego

    lines = _AGENT.sub(_plain_agent, "\n".join(text.splitlines()))
    return Rules(Protego.parse(_PACE.sub(_plain_pace, lines)))


def _plain_agent(line: re.Match[str]) -> str:
    """Return a line that names a crawler as Protego takes it, which compares beginnings of names.

    Such a name has letters, `_` and `-`: `sansho/1.0` is this crawler's, `san` another's.
    """
    is_all = line["name"] == "*" and not line["more"].strip()
    name = "*" if is_all else NAME if line["name"].lower() == NAME else "another"
    return f"{line['field']} {name}"


def _plain_pace(line: re.Match[str]) -> str:
    """Return a line that asks for a pace as Protego takes it, which ignores any that is odd.

    What is no number of seconds, or no rate, becomes a wait without end (`_NO_TIME`); a line
    without a value stays as it is.
    """
    field, value = line[1], line[2].strip()
    if not value:
        return line[0]
    if "elay" in field.lower():
        seconds = _SECONDS.fullmatch(value)
        return f"{field} {seconds[1].replace(',', '.') if seconds else _NO_TIME}"
    rate = _RATE.fullmatch(value)
    plain = "".join(f"{rate[1]}/{rate[2]}".split()) + (rate[3] or "") if rate else ""
    is_rate = rate and int(rate[1]) and int(re.sub(r"\D", "", rate[2]))
    return f"{field} {plain}" if is_rate else f"{field} 1/{10**300}"


def decode_rules(body: bytes) -> str:
    """Return the text of a robots.txt, without a byte order mark; raises UnreadableRules if it is
    none.

    It is UTF-8, UTF-16 or UTF-32; bytes of any other charset, which only stand in comments and
    paths, are percent-encoded as in an address. It may be compressed by gzip, also where no header
    says so.

    >>> decode_rules("Disallow: /a".encode("utf-16")), decode_rules(b"Disallow: /\\xb0\\xfa")
    ('Disallow: /a', 'Disallow: /%B0%FA')
    >>> decode_rules(b"<html>not found</html>")
    Traceback (most recent call last):
    scraper.crawl.robots.UnreadableRules: is a web page
    """
    if body.startswith(b"\x1f\x8b"):
        try:
            body = decode_body(body, "gzip", LARGEST)
        except BodyError as error:
            raise UnreadableRules(f"can't be unpacked: {error}") from None
    text = _decoded(body).lstrip("\ufeff")  # a second mark would hide the first line
    if "\0" in text:
        raise UnreadableRules("is no text")
    if text.lstrip().startswith("<"):
        raise UnreadableRules("is a web page")
    lines = [line for line in text.splitlines() if line.partition("#")[0].strip()]
    if lines and not any(map(_DIRECTIVE.match, lines)):
        raise UnreadableRules("has no line that such a file has")
    return text


def _decoded(body: bytes) -> str:
    """Return bytes as text, by their byte order mark or their zero bytes, else as UTF-8, else with
    the bytes beyond ASCII percent-encoded."""
    for mark, charset in _MARKS:
        if body.startswith(mark):  # the last character may be cut off
            return body.removeprefix(mark).decode(charset, "replace")
    if b"\0" in body[:200]:
        for charset in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
            text = body.decode(charset, "replace")
            if any(map(_DIRECTIVE.match, text.splitlines())):
                return text
    try:
        return body.decode()
    except UnicodeDecodeError:
        return re.sub(r"[^\x00-\x7f]", lambda byte: f"%{ord(byte[0]):02X}", body.decode("latin-1"))


def parse_directives(contents: Iterable[str]) -> frozenset[str]:
    """Return which of `noindex` and `nofollow` stand in robots meta tags or X-Robots-Tag headers
    for this crawler.

    `none` stands for both words, and so does `unavailable_after` for `noindex` once its date is
    over. What follows the name of another crawler (`otherbot: noindex, nofollow`) is its own, up to
    the next name of one. Words that contradict each other are read as the stricter one.

    contents: the contents of the tags and the values of the headers, without the headers' name.

    >>> sorted(parse_directives(["NOINDEX,NOFOLLOW,max-image-preview:standard", "bingbot: none"]))
    ['nofollow', 'noindex']
    """
    found: set[str] = set()
    for content in contents:
        rules = " ".join(content.split())
        # A value is no word (`max-image-preview:none`), and a comma in a date ends no rule.
        rules = _EXPIRY.sub(lambda rule: "noindex" if _is_over(rule[1]) else "all", rules)
        rules = _LIMIT.sub("all", rules)
        is_meant = True
        for token in re.split(r"[ ,;]+", re.sub(r" ?: ?", ":", rules.lower())):
            name, _, word = token.rpartition(":")
            if name and word in _WORDS:
                is_meant = name.partition("/")[0] in _OUR_NAMES
            if is_meant:
                found.add(word if word in _WORDS else name)
    if "none" in found:
        return frozenset({"noindex", "nofollow"})
    return frozenset(found & {"noindex", "nofollow"})


def _is_over(date: str) -> bool:
    """Whether a date of `unavailable_after` is in the past; False if it can't be parsed.

    date: in the format of RFC 822, RFC 850 or ISO 8601; in UTC if it has no time zone.
    """
    end = timestamp(date.strip())
    return end is not None and end < time.time()
