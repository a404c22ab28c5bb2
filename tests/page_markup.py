"""What is wrong with the markup of a page: tags that don't match, ids that are there twice, fields
without a label, headings out of order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset(("br", "img", "input", "link", "meta", "hr", "col", "source", "wbr"))
_BLOCKS = frozenset(
    ("p", "div", "ul", "ol", "dl", "table", "section", "article", "h1", "h2", "h3", "h4", "h5",
     "h6", "form", "details", "nav", "aside", "figure", "fieldset", "header", "footer")
)  # fmt: skip
_NO_BLOCK_INSIDE = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "span", "summary", "label"))
_FIELDS = frozenset(("input", "select", "textarea"))


@dataclass
class Markup(HTMLParser):
    """A page that was read: its ids, links and headings, and what is wrong with it.

    lang: of the page. links: the addresses that it leads to.
    """

    source: str
    lang: str = ""
    links: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)  # the ids of fields that they are for
    unlabelled: list[str] = field(default_factory=list)
    amiss: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []
        self.feed(self.source)
        self.close()
        self.amiss += [f"<{tag}> is not closed" for tag in self._open]
        self.amiss += [f"id {each} twice" for each, n in Counter(self.ids).items() if n > 1]
        self.amiss += [
            f"field {name} has no label" for name in set(self.unlabelled) - {*self.labels}
        ]
        self.amiss += [
            f"label for {name}, which is not there" for name in {*self.labels} - {*self.ids}
        ]
        if self.headings.count(1) != 1 or self.headings[:1] != [1]:
            self.amiss.append(f"headings {self.headings}")
        for above, below in zip(self.headings, self.headings[1:], strict=False):
            if below > above + 1:
                self.amiss.append(f"h{below} after h{above}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Check where a tag stands, and keep what it says."""
        given = {name: value or "" for name, value in attrs}
        if tag in _BLOCKS and (inside := _NO_BLOCK_INSIDE.intersection(self._open)):
            self.amiss.append(f"<{tag}> inside <{'>, <'.join(sorted(inside))}>")
        if tag == "a" and "a" in self._open:
            self.amiss.append("a link inside a link")
        if len(given) < len(attrs):
            self.amiss.append(f"<{tag}> has an attribute twice")
        if "lang" in given and not given["lang"]:
            self.amiss.append(f"<{tag}> has an empty lang")
        self._keep(tag, given)
        if tag not in _VOID:
            self._open.append(tag)

    def _keep(self, tag: str, given: dict[str, str]) -> None:
        if tag == "html":
            self.lang = given.get("lang", "")
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "label" and "for" in given:
            self.labels.append(given["for"])
        is_hidden = given.get("type") == "hidden"
        if tag in _FIELDS and "label" not in self._open and not is_hidden:
            self.unlabelled.append(given.get("id", f"without id: {given.get('name')}"))
        if tag[0] == "h" and tag[1:].isdigit():
            self.headings.append(int(tag[1:]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag of SVG that closes itself as one that is closed at once."""
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Check that the tag that ends is the last one that began."""
        if not self._open or self._open[-1] != tag:
            self.amiss.append(f"</{tag}> where {self._open[-1:]} is open")
        if tag in self._open:
            while self._open.pop() != tag:
                pass
