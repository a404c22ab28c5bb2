"""The site's own links: extracted as edges, with the terms, cards and names that they give, and
resolved to the sections and pages that they mean.

The pages that a wiki has for itself are told from those about its subject by their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from graphs.model import Label, NodeKind, kind_of_id
from graphs.writing.page_claims import EdgeClaim, NodeClaim, PageClaims
from kb.knowledge import claim_ranks
from kb.knowledge.page_subject import defines_term, node_of_page, term_id
from kb.knowledge.prepared_page import PageContext
from kb.knowledge.rules import editions
from kb.language.citations.rule_numbers import rule_id
from kb.language.fold import fold, plain
from kb.language.headwords import label_claims, labels_of
from kb.language.tokens import dictionary_form
from scraper import Link
from scraper.rulebook.numbering import number_at
from scraper.sites import page_address, site_catalogue

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


_SENSE = re.compile(r"_(?:\d+|n|v|a|adj|adv)$")  # behind the word in the key of a glossary entry
_NUMBERED = re.compile(r" (?=[1-9]\d{0,3}\Z)")  # an anchor; the space before its number
# What may be another name of a link's target: nouns, which are written without hiragana. Twenty
# characters are more than terms have; longer words are a phrase.
_NOUNS = re.compile(r"(?=[A-Za-z・ー]{0,20}[ァ-ヺ一-鿿々])[A-Za-zァ-ヺー・一-鿿々]{2,20}")
_NO_ALIAS = frozenset(
    "詳細 参照 公式 本文 前者 後者 別項 後述 前述 上記 下記 以下 原文 同様 同名".split()
)
_WITHOUT_LETTERS = frozenset({"ja", "zh", "ko"})  # languages that are not written in ASCII


class _Target(NamedTuple):
    """What a link leads to.

    node: the id of the node; empty for an address outside the known sites.
    label: what to call it where it is not loaded.
    reason: why it is missing, for the case that it is.
    """

    node: str
    label: str
    reason: str


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add an edge for every link, with the linked words as evidence, and the terms, cards and
    names that links to pages and glossary entries give.

    An edge starts from the rule that its passage states, or else from the passage. Links to rules
    get none here (`citations` takes them), nor do those within the site without a target.

    An entry of a rulebook's contents states no rule and cites none: it says what a rule is called
    that may be elsewhere. It gets an edge to the rule of its number, in the page's language and
    edition, with the heading in its details if it is in that language.
    """
    seen: set[str] = set()  # keys of what has been added: a page adds each name once
    for place, passage in enumerate(context.page.passages):
        passage_id = context.passage_ids[place]
        source = context.stated_rules[place].id if place in context.stated_rules else passage_id
        for link in passage.links:
            if link.kind == "glossary":
                target = _claim_glossary_term(context, claims, place, link, seen)
            elif link.kind == "external":
                target = _external_target(context, link)
            elif link.kind in {"page", "missing", "anchor"} and link.target:
                target = _page_target(context, link)
                if link.kind != "anchor":
                    _claim_page_subject(context, claims, place, link, seen)
                    _claim_alias(context, claims, place, link, seen)
            else:
                continue
            claims.edges.append(
                EdgeClaim(
                    kind="links_to",
                    source=source,
                    target=target.node,
                    target_label=target.label,
                    passage=passage_id,
                    start=link.start,
                    end=link.end,
                    reason=target.reason,
                )
            )
    _add_contents(context, claims)


def _page_target(context: PageContext, link: Link) -> _Target:
    """Return the page or section that a link within the site leads to, loaded or not.

    A red link leads to its page, whatever its anchor. A link to a section of the context's own
    page, by its anchor or title, leads to that section's id; any other anchor is added to the
    page's id.
    """
    page_id = f"{context.page.source}/{link.target}"
    reason = f"page {link.target} is not in this knowledge base"
    if is_of_wiki(link.target):
        reason = WIKI_PART
    elif link.kind == "missing":
        reason = f"the wiki had no page {link.target} (a red link)"
    if link.kind == "missing":
        return _Target(page_id, link.target, reason)
    if not link.anchor:
        return _Target(page_id, link.target, reason)
    if page_id == context.page_id:
        for index, section in enumerate(context.page.sections):
            if link.anchor in (section.anchor, section.title):
                label = f"{link.target}#{section.title}"
                return _Target(context.section_ids[index], label, reason)
    return _Target(f"{page_id}#{link.anchor}", f"{link.target}#{link.anchor}", reason)


def _claim_page_subject(
    context: PageContext, claims: PageClaims, place: int, link: Link, seen: set[str]
) -> None:
    """Add the term or card that a linked page is about, whether or not the wiki has the page.

    The claim of that page itself has precedence. Names with a colon or a slash are of pages that
    belong to the wiki or to another page, unless the slash separates a card's two names, and those
    with @ are addresses; they add nothing, nor does any name if the game is not known.

    place: the index of the link's passage in the page.
    seen: the names of the pages whose subjects have been added; this one is added to it.
    """
    if link.target in seen:
        return
    seen.add(link.target)
    if (
        not context.is_game_known
        or not defines_term(link.target)
        or any(sign in link.target for sign in ":：@")
    ):
        return
    node_id, name = node_of_page(context, link.target)
    if "/" in name.label:
        return
    kind: NodeKind = "card" if kind_of_id(node_id) == "card" else "term"
    node = context.make_node(node_id, kind, label=name.label, url=None)
    claims.nodes.append(NodeClaim(node, context.rank(claim_ranks.LINKED)))
    claims.labels += label_claims(node_id, labels_of(name), context.passage_ids[place])


def _claim_alias(
    context: PageContext, claims: PageClaims, place: int, link: Link, seen: set[str]
) -> None:
    """Add the linked words as another name of the term that the linked page is about, if they
    look like a name (`_NOUNS`) and the link is to the page as a whole.

    Words that contain the page's name are left out, as they name a narrower concept; so are
    words that the page's name contains, as they name a wider one.

    place: the index of the link's passage in the page.
    seen: keys of the names that have been added; this one is added to it.
    """
    if link.anchor:
        return
    words = plain(context.page.passages[place].text[link.start : link.end])
    key = f"{link.target}\0{words}"
    if key in seen or not _NOUNS.fullmatch(words) or words in _NO_ALIAS:
        return
    if words in link.target or link.target in words:
        return
    seen.add(key)
    if context.is_game_known and defines_term(link.target) and defines_term(words):
        node_id, name = node_of_page(context, link.target)
        if kind_of_id(node_id) == "term" and fold(words) != fold(name.label):
            alias = [Label("ja", words, "alias")]
            claims.labels += label_claims(node_id, alias, context.passage_ids[place])


def _external_target(context: PageContext, link: Link) -> _Target:
    """Return the page of a known site, or of the page's own, that an external link leads to.

    For an address that is no page of them, is malformed, or is a view such as an edit form, the
    target's node is empty and its label is the address.
    """
    if not _is_on_known_site(context, link.target):
        return _Target("", link.target, "outside the known sites")
    page = context.page
    base = page.url if "://" in link.target else ""  # of others the parser has read what they are
    place = page_address.read(link.target, base, in_utf8=page.engine == "mediawiki")
    if place is None or not place.name or place.view:
        return _Target("", link.target, WIKI_PART)
    engine = place.site.engine if place.site else page.engine
    if place.front and engine == "mediawiki":  # which does not say what its main page is called
        return _Target("", link.target, WIKI_PART)
    source = place.source if place.site else page.source
    name = f"{place.name}#{place.anchor}" if place.anchor else place.name
    reason = f"page {place.name} of {source} is not in this knowledge base"
    return _Target(f"{source}/{name}", name, WIKI_PART if is_of_wiki(name) else reason)


def _is_on_known_site(context: PageContext, address: str) -> bool:
    """Whether an address is on a site of the catalogue, or on the site of the page itself; a
    malformed one is on none.

    One without a host is on the page's site, unless it begins with the name of another wiki.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    if not parts.scheme and not parts.netloc:
        return ":" not in parts.path.partition("/")[0]  # as in PukiWiki's `[[別のwiki:ページ]]`
    if site_catalogue.known_site(address) is not None:
        return True
    url = context.page.url
    return url != "" and page_address.source_of(address) == page_address.source_of(url)


def _claim_glossary_term(
    context: PageContext, claims: PageClaims, place: int, link: Link, seen: set[str]
) -> _Target:
    """Add the term that a link to a glossary leads to, and return it as the link's target.

    Its name is the linked words in dictionary form; its English name is the glossary's key, without
    the number or part of speech behind it and with spaces for underscores. A link without a key
    gives no English name.

    place: the index of the link's passage in the page.
    seen: keys of the names that the page has added so far; new ones are added to it, and those
        that are there are not added twice.
    """
    passage = context.page.passages[place]
    passage_id = context.passage_ids[place]
    label = dictionary_form(passage.text, context.tokens(place), link.start, link.end)
    node_id = term_id(context.game, label)
    if node_id not in seen:
        seen.add(node_id)
        node = context.make_node(node_id, "term", lang="ja", label=label, url=None)
        claims.nodes.append(NodeClaim(node, context.rank(claim_ranks.WIKI_GLOSSARY)))
        claims.labels += label_claims(node_id, [Label("ja", label)], passage_id)
    if link.target:
        english = _SENSE.sub("", link.target).replace("_", " ")
        if (key := f"{node_id} {english}") not in seen:
            seen.add(key)
            claims.labels += label_claims(node_id, [Label("en", english)], passage_id)
    return _Target(node_id, label, f"the glossary's {label} is not in this knowledge base")


def _add_contents(context: PageContext, claims: PageClaims) -> None:
    """Add an edge from each entry of a rulebook's contents to its rule; none in sections without an
    edition, as a rule's id has one."""
    entries = [
        (place, passage)
        for place, passage in enumerate(context.page.passages)
        if passage.kind == "contents"
    ]
    section_editions = editions(context) if entries else []
    for place, passage in entries:
        if edition := section_editions[passage.section]:
            claims.edges += [
                _entry_edge(context, place, edition, link)
                for link in passage.links
                if link.kind == "rule"
            ]


def _entry_edge(context: PageContext, place: int, edition: str, link: Link) -> EdgeClaim:
    """Return the edge of an entry, with the words behind its number as `heading` in the details; no
    details if there are none, or only ASCII in a language that isn't written so.

    place: the index of its passage; link: to the rule.
    """
    lang, passage_id = context.page.lang, context.passage_ids[place]
    text = context.page.passages[place].text[link.start : link.end]
    number = number_at(text)
    heading = text[number.start :] if number else ""
    if heading.isascii() and lang in _WITHOUT_LETTERS:
        heading = ""  # it is in another language
    return EdgeClaim(
        kind="links_to",
        source=passage_id,
        target=rule_id(context.game, edition, lang, link.target),
        target_label=link.target,
        passage=passage_id,
        start=link.start,
        end=link.end,
        reason=f"rule {link.target} is not among the loaded rules of {edition} ({lang})",
        details={"heading": heading} if heading else None,
    )


# -- when all pages are in ------------------------------------------------------------------


def sections_to_try(target: str) -> Iterable[str]:
    """Yield ids to try in place of a section that is not loaded, the best first; the last is that
    of its page. The first is the target itself if its anchor is in the form of `plain`.

    A link has a section's anchor, and its id has the title as `plain` writes it. `見出し 2` is also
    the anchor of the second section with the title `見出し`.

    target: the id of any node; there are no substitutes for nodes other than sections.

    >>> list(sections_to_try("mtgwiki/引く#見出し（その他） 2"))
    ['mtgwiki/引く#見出し(その他) 2', 'mtgwiki/引く#見出し(その他)_2', 'mtgwiki/引く']
    """
    page, mark, anchor = target.partition("#")
    if not mark:
        return
    title = plain(anchor)
    yield f"{page}#{title}"
    if _NUMBERED.search(title):
        yield f"{page}#{_NUMBERED.sub('_', title)}"
    yield page


def with_small_letter(target: str) -> list[str]:
    """Return the id of a page, or of a section, with a small letter at the beginning of the name,
    in a list; an empty one if there is none.

    Most wikis write the first letter large, so links are read so; some do not.

    >>> with_small_letter("wiki.example/EBay#use"), with_small_letter("mtgwiki/引く")
    (['wiki.example/eBay#use'], [])
    """
    source, mark, name = target.partition("/")
    small = f"{source}{mark}{name[:1].lower()}{name[1:]}"
    return [small] if small != target else []
