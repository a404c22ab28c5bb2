"""Extracts the term or card that a page is about, with the names that the page gives it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from graphs.model import Label, NodeKind, Role, kind_of_id
from graphs.writing.page_claims import EdgeClaim, LabelClaim, NodeClaim, PageClaims
from kb.knowledge.prepared_page import PageContext
from kb.language.citations.citation_grammar import is_citation, without_bracketed_citations
from kb.language.fold import fold, plain
from kb.language.headwords import Headword, label_claims, labels_of, parse_headword

# Names of pages on the wiki itself.
_ADMINISTRATIVE = frozenset(
    "FrontPage MenuBar SideBar SandBox RecentChanges RecentDeleted Help FormattingRules "
    "InterWikiName InterWiki InterWikiSandBox PukiWiki WikiName BracketName AutoAliasName "
    "メインページ サンドボックス 整形ルール".split()
)
# Names of pages that many wikis have, and that are no concepts of the game.
_GENERIC_TITLES = frozenset(
    "ルール その他 参考 脚注 目次 用語集 索引 リンク 関連リンク 関連カード 外部リンク 参考リンク "
    "公式サイト トップページ 更新履歴 収録パック等 FAQ Q&A".split()
)
_NAMESPACE = re.compile(
    r"^(?:カテゴリ|Category|テンプレート|Template|利用者|User|ヘルプ|Help|ファイル|File|画像|"
    r"特別|Special|MediaWiki|MTG Wiki|CR|(?:.*[・ ])?(?:トーク|ノート|talk)|)[:：](?=\S)",
    re.IGNORECASE,
)
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")
_OF_ARTICLES = frozenset(("カテゴリ", "category", "cr"))  # namespaces
# 「X」/Y or X(Y) at the beginning of a paragraph: groups 1 and 2 or 3. A name has 40 characters at
# most there; longer ones are a clause.
_LEAD = re.compile(
    r"^[「『]?([^\s、。()（）「」『』/／]{1,40}?)[」』]?\s?(?:[/／]\s?"
    r"([A-Za-z][A-Za-zÀ-ɏ0-9 '’\-,.:!&()]*)|[(（]([A-Za-z][A-Za-zÀ-ɏ0-9 '’\-,.:!&/]*)[)）])"
)
# Passages at the beginning of a page: a heading in the first few may be the headword, behind a
# title and a line of navigation, and the opening paragraph is one of a dozen, behind a box of the
# card or a note. By hand: farther down headings are of parts, paragraphs of details.
_HEADWORD_PASSAGES = 3
_LEAD_PASSAGES = 12


class PageSubject(NamedTuple):
    """The term or card that a page is about.

    node: the id of the term or card.
    name: the page's name, parsed.
    """

    node: str
    name: Headword


def term_id(game: str, label: str) -> str:
    """Return the id of the term of a game that has a name, whether or not there is such a term.

    game: the id of a game, such as `mtg`.
    label: the name, with its qualifier in parentheses if it has any.

    Editions of one book may write a name with curly quotation marks or straight ones.

    >>> term_id("mtg", "引く"), term_id("mtg", "City’s Blessing")
    ('mtg/term/引く', "mtg/term/City's Blessing")
    """
    return f"{game}/term/{plain(label).translate(_STRAIGHT)}"


def game_of(node: str) -> str:
    """Return the game in the id of a term: what is before the first slash.

    >>> game_of("mtg/term/引く")
    'mtg'
    """
    return node.partition("/")[0]


def qualified_label(name: Headword) -> str:
    """Return a name with the qualifier that distinguishes it from its homonyms, if it has any.

    >>> qualified_label(Headword("使う", qualifier="キーワード処理"))
    '使う (キーワード処理)'
    """
    return f"{name.label} ({name.qualifier})" if name.qualifier else name.label


def defines_term(name: str) -> bool:
    """Return whether a page of this name is about a concept, and not about the wiki itself.

    Only the name is considered, not the page. A page on a card counts, too; an empty name doesn't,
    nor does a quantity such as 100%.

    >>> [defines_term(n) for n in ("引く", "カテゴリ:ルール", "FrontPage", "CR:401", "その他")]
    [True, False, False, False, False]
    >>> [defines_term(n) for n in ("100%", "2人対戦", "101")]
    [False, True, True]
    """
    about_wiki = (
        name in _ADMINISTRATIVE
        or name in _GENERIC_TITLES
        or ((":" in name or "：" in name) and _NAMESPACE.match(name))
    )
    is_word = name.isdigit() or any(map(str.isalpha, name))
    return is_word and not about_wiki


def states_facts(name: str) -> bool:
    """Return whether a page of this name states facts of the game, as articles do; menus, lists of
    changes, talk and pages of users say anything.

    >>> [states_facts(name) for name in ("墓地", "トーク:墓地", "MenuBar", "カテゴリ:ルール")]
    [True, False, False, True]
    """
    if name in _ADMINISTRATIVE:
        return False
    namespace = _NAMESPACE.match(name) if ":" in name or "：" in name else None
    return namespace is None or namespace[0][:-1].lower() in _OF_ARTICLES


def node_of_page(context: PageContext, name: str) -> PageSubject:
    """Return (id, parsed name) of the term or card that a page of this name on the same site is
    about, whether or not there is such a page.

    A name in 《》 is a card's, and on a MediaWiki of a known game a title in both languages is; any
    other is a term's.

    name: the page's name as links give it, such as `使う (キーワード処理)`.
    """
    bilingual_cards = context.page.engine == "mediawiki" and context.is_game_known
    return _node_of_page(context.game, name, bilingual_cards)


@lru_cache(1 << 14)  # the same page is linked to from many pages
def _node_of_page(game: str, name: str, bilingual_cards: bool) -> PageSubject:
    """Return the term or card that a page is about. bilingual_cards: whether a title in both
    languages is a card's.

    It is a card if the name is written as a card's, else a term. The id contains the name, with its
    qualifier if any, normalized by `plain`; the parsed name is not normalized.
    """
    headword = parse_headword(name)
    is_card = headword.card or (bilingual_cards and headword.english is not None)
    label = qualified_label(headword)
    return PageSubject(f"{game}/card/{plain(label)}" if is_card else term_id(game, label), headword)


def subject_of(context: PageContext) -> PageSubject | None:
    """Return (id, parsed name) of the term or card that the page itself is about, by its name; None
    for a page about the wiki. A redirect has one, too: what its own name says.

    If the name has a prefix before the title, as in a second wiki of a site, the title counts.
    """
    page = context.page
    if not defines_term(page.name):
        return None
    name = page.title if page.name.endswith(f"/{page.title}") else page.name
    return node_of_page(context, name)


def extract(context: PageContext, claims: PageClaims) -> None:
    """Add the term or card that a wiki's page is about, with its names and the defining edge.

    A redirect adds its edge `redirects_to` instead, and its name as another name of the target's
    subject, unless it leads to a section. Nothing is added for pages that are no wiki's, have no
    passages, or whose name is no concept's (`defines_term`), such as pages about the wiki.
    """
    page = context.page
    if not context.is_wiki or not defines_term(page.name) or not page.passages:
        return
    if page.redirect:
        _claim_redirect(context, claims, page.redirect)
        return
    subject = subject_of(context)
    if subject is None:
        return
    node_id, name = subject
    kind: NodeKind = "card" if kind_of_id(node_id) == "card" else "term"
    place, headword = _find_headword(context, name)
    reading = name.reading or (headword.reading if headword else None)
    node = context.make_node(node_id, kind, label=name.label, reading=reading)
    claims.nodes.append(NodeClaim(node, context.rank()))
    lang = page.lang if name.label.isascii() else "ja"  # of a wiki in English
    claims.labels += label_claims(node_id, labels_of(name, lang), context.passage_ids[0])
    if headword:
        role: Role = "preferred" if headword.label == name.label else "alias"
        labels = labels_of(headword, lang if headword.label.isascii() else "ja", role)
        claims.labels += label_claims(node_id, labels, context.passage_ids[place])
    claims.labels += _lead_labels(context, node_id, name.label)
    claims.edges.append(
        EdgeClaim(
            kind="defines",
            source=context.page_id,
            target=node_id,
            target_label=name.label,
            passage=context.passage_ids[place],
            start=0,
            end=len(page.passages[place].text),
        )
    )


def _find_headword(context: PageContext, name: Headword) -> tuple[int, Headword | None]:
    """Return the index of the passage that states the page's name, and the headword parsed from
    it if it is a heading.

    On a PukiWiki the first heading is the headword, with reading and English. It is a heading of
    the first three passages that contains the page's name or is contained in it, folded. Without
    such a heading the passage is the title, or passage 0, and the headword is None.
    """
    passages = context.page.passages
    for place, passage in enumerate(passages[:_HEADWORD_PASSAGES]):
        if passage.kind == "heading":
            ruby = [(r.start, r.end, r.reading) for r in passage.ruby]
            headword = parse_headword(passage.text, ruby)
            folded, folded_name = fold(headword.label), fold(name.label)
            if folded_name in folded or folded in folded_name:
                return place, headword
    titles = [place for place, passage in enumerate(passages) if passage.kind == "title"]
    return (titles or [0])[0], None


def _lead_labels(context: PageContext, node_id: str, label: str) -> list[LabelClaim]:
    """Return the names that the opening paragraph gives the page's subject; empty if none.

    It begins with `X/Y` or `X(Y)`, where X is the page's name or ends with it, and Y is English; a
    citation is none. A note on homonyms may stand before it. They are Y, and X as an alias if it
    is more than the page's name.

    node_id: the id of the node that gets the names.
    label: the page's name.
    """
    for place, passage in enumerate(context.page.passages[:_LEAD_PASSAGES]):
        if passage.kind != "paragraph" or passage.section != 0:
            continue
        match = _LEAD.match(without_bracketed_citations(passage.text))
        if match and match[1].endswith(label):
            english = (match[2] or match[3]).strip(" ,.")
            labels = [] if is_citation(english) else [Label("en", english)]
            labels += [Label("ja", match[1], "alias")] if match[1] != label else []
            return label_claims(node_id, labels, context.passage_ids[place])
    return []


def _claim_redirect(context: PageContext, claims: PageClaims, target: str) -> None:
    """Add the edge of a redirect, and the page's name as a name of what the target is about.

    target: the name of the target page on the same site, perhaps with `#` and a section.

    The edge is always added. The name is added, normalized by `plain`, only if the target is a
    whole page, not a section, and `defines_term` holds for its name.
    """
    page = context.page
    passage_id = context.passage_ids[0]
    claims.edges.append(
        EdgeClaim(
            kind="redirects_to",
            source=context.page_id,
            target=f"{page.source}/{target}",
            target_label=target,
            passage=passage_id,
            start=0,
            end=len(page.passages[0].text),
            reason=f"page {target} is not in this knowledge base",
        )
    )
    if defines_term(target) and "#" not in target:  # a section's name is not its page's
        labels = [Label("ja", plain(page.name), "redirect")]
        claims.labels += label_claims(node_of_page(context, target).node, labels, passage_id)
