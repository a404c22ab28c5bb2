"""Which of several claims describes a node: the one with the lowest rank.

Pages claim what they state of a term, a card or a rule, each with a rank; which claim stands is
decided when all pages are in (`graphs.writing.best_claims`). Only the order of the ranks counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from graphs.model import NodeKind

# Of rules, by engine: the book itself, then the viewer that has all of it, then wikis, which quote.
WHOLE_RULES: Mapping[str, int] = {"rulebook": 0, "wisdomguild": 1}
QUOTED_RULE = 2

# Of cards and terms. Pages of details always have the card's text, which a wiki's page on the card
# does not; a page on something else may show the card's box in passing, or only have a heading for
# it.
CARD_DETAILS = -1
OWN_PAGE = 0
CARD_BOX = 1
CARD_HEADING = 2
# An entry of a wiki's glossary says more than a link's words.
WIKI_GLOSSARY = 5
# A list knows only the names; it stands before text that merely names a card.
LISTED_CARD = 9
# Words that name something: a heading, a link to its page, a sentence, a name in two languages.
NAMED_IN_HEADING = 40
LINKED = 50
NAMED_IN_TEXT = 60
NAMED_IN_TWO_LANGUAGES = 70  # the last: a name beside another says nothing of what the term is
# Glossaries of rulebooks stand behind wikis, whose page on a term gives its usual name. Twice the
# date of the edition, as a number, is taken off, so that the newest is first: 60 million are left.
RULEBOOK_GLOSSARY = 10**8
LISTED_TERM = 2 * 10**8
LISTED: Mapping[NodeKind, int] = {"card": LISTED_CARD, "term": LISTED_TERM}
# Added to the rank of what a page with a notice (a part of it, an old version) claims: more than
# any other rank.
NOTICE = 10**9
