"""What an editor shows of the rule or the term under the cursor, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import kb
from kb.checking.proofreader import Proofreader
from kb.control_characters import CONTROLS

# By hand, for what is read at a glance: characters of a rule and of a sub-rule, sub-rules, names.
_LONGEST, _LONGEST_BELOW, _MOST_BELOW, _MOST_NAMES = 1_200, 140, 6, 12
_MARKUP = re.compile(r"([\\`*_\[\]<>#~|!&])")
_LANGS = ("ja", "en")


def plain(text: str, most: int = _LONGEST) -> str:
    """Return words of a page as Markdown that shows them as they are: nothing in them is a link, a
    picture or a heading. Longer ones are cut.

    >>> plain("# [a](command:x) <b>")
    '\\\\# \\\\[a\\\\](command:x) \\\\<b\\\\>'
    """
    text = " ".join(CONTROLS.sub("\ufffd", text).split())
    text = text if len(text) <= most else f"{text[: most - 1]}…"
    return _MARKUP.sub(r"\\\1", text)


def rule_lines(base: kb.KnowledgeBase, reader: Proofreader, claim: kb.Claim) -> Iterator[str]:
    """Yield the paragraphs on what a claim cites or quotes: what is wrong, the words, sub-rules,
    the edition, what a newer one says, if need be in another language, and the address."""
    if claim.said:
        yield f"*{claim.verdict}*: {plain(claim.message)}"
    node = claim.node
    if node is None:
        return
    shown = base.show(node.id, tree=True)
    entry = shown.entries[0] if shown.entries else None
    heading = node.label if node.kind == "rule" else node.section
    named = " ".join(filter(None, (node.number, heading)))
    above = f" · {plain(claim.heading)}" if claim.heading and not heading else ""
    yield f"**{plain(named or node.label or node.id)}**{above}"
    if node.text and node.text != heading:
        yield plain(node.text)
    lines = shown.tree[node.id].lines if node.id in shown.tree else ()
    below = [line for line in lines if line.depth == 1]
    cut = [
        f"- {plain(' '.join((one.number, one.text or one.label or '')), _LONGEST_BELOW)}"
        for one in below[:_MOST_BELOW]
    ]
    if len(below) > _MOST_BELOW:
        cut.append(f"- … {len(below) - _MOST_BELOW} more")
    yield "\n".join(cut)
    of = (node.game, node.edition and f"edition {node.edition}", node.lang, node.source)
    yield " · ".join(plain(each) for each in of if each)
    if entry and entry.gone:
        yield plain(str(entry.gone))
    elif entry and entry.newest:
        yield _newer(node, entry.newest)
    elif now := reader.since(claim):
        words = now.expected if now.verdict == "changed" else ""
        yield plain(f"{now.message}: {words}" if words else now.message)
    if node.url and re.match("https?://", node.url):
        address = quote(node.url, safe=":/?=&%#@;,~+$")
        yield f"[{plain(node.url, 200)}]({address})"


def _newer(node: kb.Node, newest: kb.Node) -> str:
    """Return what the newest version of a rule is, beside an older one."""
    now = f"In edition {plain(newest.edition or '')} it is {plain(newest.number or '')}"
    if _words(node.text) == _words(newest.text):
        return f"{now}, with the same words."
    return f"{now} and reads: {plain(newest.text or '')}"


def _words(text: str | None) -> str:
    return re.sub(r"\W+", " ", text or "").casefold()


def term_lines(concept: kb.Concept) -> Iterator[str]:
    """Yield the paragraphs on a term or card: its names in Japanese and English with who says so,
    and a definition."""
    names = [name for name in concept.names if name.lang in _LANGS]
    first = next(iter(names or concept.names), None)
    game = f" ({plain(concept.game)})" if concept.game else ""
    yield f"**{plain(first.text if first else concept.id)}**{game}"
    lines = []
    for name in names[:_MOST_NAMES]:
        by = f", {plain(name.authority)}" if name.authority else ""
        reading = f" ({plain(name.reading)})" if name.reading else ""
        lines.append(f"- {name.lang}: {plain(name.text)}{reading}: {name.status}{by}")
    yield "\n".join(lines)
    for definition in concept.definitions[:1]:
        yield f"{plain(definition.text, 400)} ({plain(definition.authority)})"


def without_markup(text: str) -> str:
    """Return the words of Markdown that `plain` made, for an editor that shows no Markdown."""
    text = re.sub(r"\[((?:\\.|[^\]\\])*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\\([^\w\s])", r"\1", re.sub(r"(?<!\\)\*", "", text))
