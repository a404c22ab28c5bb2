"""The sites' own links."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graphs.model import Label, NodeKind
from graphs.writing.claims import EdgeClaim, NodeClaim, PageClaims
from kb.extract.context import PageContext
from kb.extract.rules import StatedRule
from kb.extract.terms import defines_term, node_of_page, term_id
from kb.language.fold import fold, plain
from kb.language.headwords import label_claims, labels_of
from kb.language.verbs import dictionary_form
from scraper import Link
from scraper.sites import address

_SENSE = re.compile(r"_(?:\d+|n|v|a|adj|adv)$")
_GLOSSARY_RANK = 5
_LINK_RANK = 50
_NOUNS = re.compile(r"(?=[A-Za-z・ー]{0,20}[ァ-ヺ一-鿿々])[A-Za-zァ-ヺー・一-鿿々]{2,20}")
_NO_ALIAS = frozenset(
    "詳細 参照 公式 本文 前者 後者 別項 後述 前述 上記 下記 以下 原文 同様 同名".split()
)


def extract(context: PageContext, claims: PageClaims, given: Mapping[int, StatedRule]) -> None:
    """Every link as an edge with the linked words as evidence."""
    claimed: set[str] = set()
    for place, passage in enumerate(context.page.passages):
        source = given[place].rule if place in given else context.passage_ids[place]
        for link in passage.links:
            if link.kind == "glossary":
                want = _glossary(context, claims, place, link, claimed)
            elif link.kind == "external":
                want = _outside(link)
            elif link.kind in {"page", "missing", "anchor"} and link.target:
                want = _page(context, link)
                if link.kind != "anchor" and link.target not in claimed:
                    claimed.add(link.target)
                    _named(context, claims, place, link.target)
                if link.kind != "anchor" and not link.anchor:
                    _aliased(context, claims, place, link, claimed)
            else:
                continue
            node_id, label, reason = want
            claims.edges.append(
                EdgeClaim(
                    "links_to",
                    source,
                    node_id,
                    label,
                    context.passage_ids[place],
                    link.start,
                    link.end,
                    reason,
                )
            )


def _page(context: PageContext, link: Link) -> tuple[str, str, str]:
    page_id = f"{context.page.source}/{link.target}"
    if link.kind == "missing":
        return page_id, link.target, f"the wiki had no page {link.target} (a red link)"
    reason = f"page {link.target} is not in this knowledge base"
    if not link.anchor:
        return page_id, link.target, reason
    if page_id == context.page_id:
        for place, section in enumerate(context.page.sections):
            if link.anchor in (section.anchor, section.title):
                return context.section_ids[place], f"{link.target}#{section.title}", reason
    return f"{page_id}#{link.anchor}", f"{link.target}#{link.anchor}", reason


def _named(context: PageContext, claims: PageClaims, place: int, target: str) -> None:
    """The term or card that a linked page is about: named, whether the wiki has the page or not.

    The page's own claim stands above this one. Names with a colon or a stroke are of pages that
    belong to the wiki or to another page, unless the stroke parts a card's two names.
    """
    if not context.is_game_known or not defines_term(target) or re.search(r"[:：]", target):
        return
    node_id, name = node_of_page(context, target)
    if "/" in name.label:
        return
    kind: NodeKind = "card" if "/card/" in node_id else "term"
    node = context.node(node_id, kind, label=name.label, url=None)
    claims.nodes.append(NodeClaim(node, context.rank(_LINK_RANK)))
    claims.labels += label_claims(node_id, labels_of(name), context.passage_ids[place])


def _aliased(
    context: PageContext, claims: PageClaims, place: int, link: Link, claimed: set[str]
) -> None:
    """The linked words as another name of what they lead to, if they look like a name: nouns
    alone, which are written without hiragana. More words than the name's are a narrower
    concept's, fewer a wider one's, which the page points on from."""
    said = plain(context.page.passages[place].text[link.start : link.end])
    key = f"{link.target}\0{said}"
    if key in claimed or not _NOUNS.fullmatch(said) or said in _NO_ALIAS:
        return
    if said in link.target or link.target in said:
        return
    claimed.add(key)
    if context.is_game_known and defines_term(link.target) and defines_term(said):
        node_id, name = node_of_page(context, link.target)
        if "/term/" in node_id and fold(said) != fold(name.label):
            alias = [Label("ja", said, "alias")]
            claims.labels += label_claims(node_id, alias, context.passage_ids[place])


def _outside(link: Link) -> tuple[str, str, str]:
    """A page of another of the known sites, or a place that is on none of them."""
    place = address.read(link.target)
    if place is None or place.site is None or not place.name or place.view:
        return "", link.target, "outside the known sites"
    name = f"{place.name}#{place.anchor}" if place.anchor else place.name
    reason = f"page {place.name} of {place.source} is not in this knowledge base"
    return f"{place.source}/{name}", name, reason


def _glossary(
    context: PageContext, claims: PageClaims, place: int, link: Link, claimed: set[str]
) -> tuple[str, str, str]:
    """The glossary's term: named by the linked words, in English by the glossary's key."""
    passage = context.page.passages[place]
    label = dictionary_form(passage.text, context.words(place), link.start, link.end)
    node_id = term_id(context.game, label)
    if node_id not in claimed:
        claimed.add(node_id)
        node = context.node(node_id, "term", lang="ja", label=label, url=None)
        claims.nodes.append(NodeClaim(node, context.rank(_GLOSSARY_RANK)))
        claims.labels += label_claims(node_id, [Label("ja", label)], context.passage_ids[place])
    if link.target:
        english = _SENSE.sub("", link.target).replace("_", " ")
        if (key := f"{node_id} {english}") not in claimed:
            claimed.add(key)
            claims.labels += label_claims(
                node_id, [Label("en", english)], context.passage_ids[place]
            )
    return node_id, label, f"the glossary's {label} is not in this knowledge base"
