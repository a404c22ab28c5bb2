"""What a rule of an older edition is today, as its id over all editions has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import kb
from kb.web.base_counts import loaded
from kb.web.request_and_reply import RULE_OVER_ALL

_MOST = 500  # quotations on a page that are looked at; a bound, as a page may be a whole rulebook


@dataclass(frozen=True)
class PresentRule:
    """The newest version of a rule, which is not the one that is read.

    of: the edition of the old one. id, number, edition, lang: of the newest version.
    moved: whether that has another number.
    gone_in: the newest edition, if the rule is not in that any more; then `id` is its last version.
    other: the rule that has the number of the old one in the newest edition, if that is another
        one; None if there is none.
    """

    of: str
    id: str
    number: str
    edition: str
    lang: str
    moved: bool
    gone_in: str
    other: kb.Node | None


def present_rule(base: kb.KnowledgeBase, node: kb.Node) -> PresentRule | None:
    """Return what a rule is today; None if it is of the newest edition in its language, or no rule
    of a rulebook."""
    rule = RULE_OVER_ALL.fullmatch(node.rule or "")
    if rule is None or node.kind != "rule" or f"/cr/{node.edition}/" not in node.id:
        return None
    newest = _newest_whole(base, node.game or "")
    if node.edition == newest:
        return None
    is_gone = kb.edition_key(rule["edition"]) < kb.edition_key(newest)
    lang = node.lang or "" if rule["edition"] == node.edition else rule["lang"]
    same_number = f"{node.game}/cr/{newest}/{rule['lang']}/{node.number}"
    present = f"{node.game}/cr/{rule['edition']}/{lang}/{rule['number']}"
    if present == node.id and not is_gone:
        return None
    return PresentRule(
        node.edition or "",
        present,
        rule["number"],
        rule["edition"],
        lang,
        rule["number"] != node.number,
        newest if is_gone else "",
        _other(base, same_number, node.rule) if same_number != present else None,
    )


def _newest_whole(base: kb.KnowledgeBase, game: str) -> str:
    """Return the newest edition of a game that is loaded whole in any language, empty if none is:
    of a part nobody can tell that a rule is gone."""
    books = [book for book in loaded(base).rulebooks if book.game == game and book.whole]
    return max((book.edition for book in books), key=kb.edition_key, default="")


def _other(base: kb.KnowledgeBase, node_id: str, rule: str | None) -> kb.Node | None:
    try:
        found = base.preview(node_id).node
    except kb.NotFoundError:
        return None
    return found if found.rule != rule else None


def quoted_rules(base: kb.KnowledgeBase, page: kb.Node) -> Mapping[str, PresentRule]:
    """Return {id of a passage: what the rule that it quotes is today} of the quotations of older
    editions on a page."""
    if page.kind != "page" or page.source == "rulebook":
        return {}
    found = base.refs(page, direction="out", kinds=("quotes",), most=_MOST)
    quoted = {
        edge.evidence.passage: found.nodes[edge.target]
        for edge in found.edges
        if edge.target and edge.target in found.nodes
    }
    presents = {passage: present_rule(base, rule) for passage, rule in quoted.items()}
    return {passage: present for passage, present in presents.items() if present}
