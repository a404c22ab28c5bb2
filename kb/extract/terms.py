"""Terms and cards, from the titles and headings of the pages that define them."""

from __future__ import annotations

import re
from functools import lru_cache

from graphs.model import Label, NodeKind, Role
from graphs.writing.claims import EdgeClaim, LabelClaim, NodeClaim, PageClaims
from kb.extract.context import PageContext
from kb.language.fold import fold, plain
from kb.language.headwords import Headword, label_claims, labels_of, parse_headword

_ADMINISTRATIVE = frozenset(
    "FrontPage MenuBar SideBar SandBox RecentChanges RecentDeleted Help FormattingRules "
    "InterWikiName InterWiki PukiWiki WikiName BracketName メインページ サンドボックス".split()
)
_FURNITURE = frozenset(
    "ルール その他 参考 脚注 目次 用語集 索引 リンク 関連リンク 関連カード 外部リンク 参考リンク "
    "公式サイト トップページ 更新履歴 収録パック等 FAQ Q&A".split()
)
_NAMESPACE = re.compile(
    r"^(?:カテゴリ|Category|テンプレート|Template|利用者|User|ヘルプ|Help|ファイル|File|画像|"
    r"特別|Special|MediaWiki|MTG Wiki|CR|(?:.*[・ ])?(?:トーク|ノート|talk)|)[:：](?=\S)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^[「『]?([^\s、。()（）「」『』/／]{1,40}?)[」』]?\s?(?:[/／]\s?"
    r"([A-Za-z][A-Za-zÀ-ɏ0-9 '’\-,.:!&()]*)|[(（]([A-Za-z][A-Za-zÀ-ɏ0-9 '’\-,.:!&/]*)[)）])"
)


def term_id(game: str, label: str) -> str:
    """The id of a term: the concept of one game that has this name.

    >>> term_id("mtg", "引く")
    'mtg/term/引く'
    """
    return f"{game}/term/{plain(label)}"


def game_of(node: str) -> str:
    """The game that a term's id names.

    >>> game_of("mtg/term/引く")
    'mtg'
    """
    return node.partition("/")[0]


def labelled(name: Headword) -> str:
    """A name with what tells it from its homonyms.

    >>> labelled(Headword("使う", qualifier="キーワード処理"))
    '使う (キーワード処理)'
    """
    return f"{name.label} ({name.qualifier})" if name.qualifier else name.label


def defines_term(name: str) -> bool:
    """Whether a page of this name is about a concept (and not about the wiki itself).

    >>> [defines_term(n) for n in ("引く", "カテゴリ:ルール", "FrontPage", "CR:401", "その他")]
    [True, False, False, False, False]
    """
    about_wiki = name in _ADMINISTRATIVE or name in _FURNITURE or _NAMESPACE.match(name)
    return bool(name) and not about_wiki


def node_of_page(context: PageContext, name: str) -> tuple[str, Headword]:
    """The id of the term or card that a page of this name on the same site is about, and the
    name taken apart. On a MediaWiki a title in both languages is a card's."""
    bilingual = context.page.engine == "mediawiki" and context.is_game_known
    return _node_of_page(context.game, name, bilingual)


@lru_cache(1 << 16)  # links to one page come again on page after page
def _node_of_page(game: str, name: str, bilingual_cards: bool) -> tuple[str, Headword]:
    parts = parse_headword(name)
    card = parts.card or (bilingual_cards and parts.english is not None)
    kind = "card" if card else "term"
    return f"{game}/{kind}/{plain(labelled(parts))}", parts


def subject_of(context: PageContext) -> tuple[str, Headword] | None:
    """The id of the term or card that the page itself is about, and its name taken apart; None
    for a page about the wiki. A name in a second wiki of a site counts without its prefix."""
    page = context.page
    if not defines_term(page.name):
        return None
    name = page.title if page.name.endswith(f"/{page.title}") else page.name
    return node_of_page(context, name)


def extract(context: PageContext, claims: PageClaims) -> None:
    """The term or card that the page defines, with its names; a redirect names its target's."""
    page = context.page
    if not context.is_wiki or not defines_term(page.name) or not page.passages:
        return
    if page.redirect:
        _redirect(context, claims, page.redirect)
        return
    subject = subject_of(context)
    if subject is None:
        return
    node_id, name = subject
    kind: NodeKind = "card" if "/card/" in node_id else "term"
    witness, stated = _heading(context, name)
    reading_of = name.reading or (stated.reading if stated else None)
    node = context.node(node_id, kind, label=name.label, reading=reading_of)
    claims.nodes.append(NodeClaim(node, context.rank()))
    claims.labels += label_claims(node_id, labels_of(name), context.passage_ids[0])
    if stated:
        role: Role = "preferred" if stated.label == name.label else "alias"
        others = labels_of(stated, role=role)
        claims.labels += label_claims(node_id, others, context.passage_ids[witness])
    claims.labels += _lead_labels(context, node_id, name.label)
    claims.edges.append(
        EdgeClaim(
            "defines",
            context.page_id,
            node_id,
            name.label,
            context.passage_ids[witness],
            0,
            len(page.passages[witness].text),
            "",
        )
    )


def _heading(context: PageContext, name: Headword) -> tuple[int, Headword | None]:
    """Where the page states its name, and what that says beyond the page's own name.

    On a PukiWiki the first heading is the headword, with reading and English.
    """
    passages = context.page.passages
    for place, passage in enumerate(passages[:3]):
        if passage.kind == "heading":
            ruby = [(r.start, r.end, r.reading) for r in passage.ruby]
            stated = parse_headword(passage.text, ruby)
            if fold(name.label) in fold(stated.label) or fold(stated.label) in fold(name.label):
                return place, stated
    titles = [place for place, passage in enumerate(passages) if passage.kind == "title"]
    return (titles or [0])[0], None


def _lead_labels(context: PageContext, node_id: str, label: str) -> list[LabelClaim]:
    """Names that the opening gives: a paragraph that begins `X/Y` or `X(Y)`, X being, or ending
    in, the page's name. A note on homonyms may stand before it."""
    for place, lead in enumerate(context.page.passages[:12]):
        if lead.kind != "paragraph" or lead.section != 0:
            continue
        found = _LEAD.match(lead.text)
        if found and found[1].endswith(label):
            names = [Label("en", (found[2] or found[3]).strip(" ,."))]
            names += [Label("ja", found[1], "alias")] if found[1] != label else []
            return label_claims(node_id, names, context.passage_ids[place])
    return []


def _redirect(context: PageContext, claims: PageClaims, target: str) -> None:
    page = context.page
    words = page.passages[0].text
    passage = context.passage_ids[0]
    page_id = f"{page.source}/{target}"
    reason = f"page {target} is not in this knowledge base"
    claims.edges.append(
        EdgeClaim("redirects_to", context.page_id, page_id, target, passage, 0, len(words), reason)
    )
    if defines_term(target) and "#" not in target:  # a section's name is not its page's
        node_id, _ = node_of_page(context, target)
        claims.labels += label_claims(node_id, [Label("ja", plain(page.name), "redirect")], passage)
