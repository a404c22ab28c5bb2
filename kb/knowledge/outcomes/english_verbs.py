"""Finds the finite verb of an English clause: what makes a stretch of words a statement.

There is no tagger here. Auxiliaries are a closed class; of the other verbs, those that rules are
written with are listed, and any verb counts behind a pronoun or a word such as "player". Verbs
of relative clauses ("a card that was drawn") are no verbs of the clause.
"""

from __future__ import annotations

import re
from itertools import islice

_AUXILIARIES = frozenset(
    "is are was were isn't aren't wasn't weren't has have had hasn't haven't hadn't does do did "
    "doesn't don't didn't can can't cannot could couldn't may might must mustn't will won't would "
    "wouldn't shall should shouldn't".split()
)
# Stems of verbs that are used in rules; a verb in -s or -es counts as well.
_STEMS = frozenset(
    "accept activate add affect allow announce apply arrange assign attach attack banish become "
    "begin belong block bring calculate cast cause cease challenge change check choose claim "
    "close come concede conquer consider consist contain continue contribute copy count create "
    "deal decide declare decrease defend define depend describe designate destroy determine die "
    "disappear discard distribute divide double draw drop end enter equal exceed exert exhaust "
    "exile exist expire explain fail fall fight finish flip follow forbid function gain generate "
    "get give go govern grant happen ignore imply include increase indicate interact keep kill "
    "last leave let look lose make mark mean merge modify move need obtain occur open order "
    "override own pass pay perform permit phase place play prevent proceed process produce "
    "prohibit provide put quest ready recall receive recycle reduce refer remain remove repeat "
    "replace represent require reset resolve resume retain return reveal roll sacrifice score "
    "search see select separate set share shuffle skip specify spend stack start state stay stop "
    "supersede suspend swap switch take tap treat trigger turn undo untap use vote wait win "
    "work".split()
)
# Verbs in -s that are more often nouns.
_NOUNS = frozenset(
    "attacks blocks challenges changes checks copies counts doubles drops fights flips looks "
    "matches orders passes phases places plays processes quests references returns rolls scores "
    "searches sets shares splits stacks starts states stops taps turns votes works".split()
)
# Where they stand behind a noun they make it a relative clause: the cards they own.
_OWNING = frozenset("own owns control controls".split())
_RELATIVE = frozenset("that which who whom whose".split())
# Words in the singular and the plural behind which any verb is one.
_ACTORS = frozenset(
    "it he she player opponent controller owner team everyone nobody effect ability spell rule "
    "game creature permanent card character unit each one nothing everything neither them way "
    "this that".split()
)
_ACTOR_PRONOUNS = frozenset("they you we players opponents".split())
_BEFORE_SINGULAR = frozenset("a an another each every the that this its his her their".split())
_SINGULAR_DETERMINERS = frozenset("a an another each every".split())
_PLURAL_DETERMINERS = frozenset("all both those these some two three many most other".split())
# Behind a verb in -s that may also be a noun, these begin its object.
_OBJECTS = frozenset(
    "a an the those these it its their them you your each any one two no another all more "
    "under into face back to".split()
)
_NO_VERBS = frozenset(
    "a about above after all an and any are as at because before behind below beside between both "
    "but by during each either else except for from her his if in into its least like more most "
    "my neither nor not of off on one only onto or other others out outside over own per rather "
    "regardless same so such than that the their them themselves then this those through to "
    "together toward under unless until unlike up upon was what when whenever where whether which "
    "while who whose with within without your yourself himself herself itself less has as "
    "always".split()
)
_DETERMINERS = frozenset("a an the those your each one two it them its their".split())
_SUBJECT_WORDS = frozenset("this that one all both each them".split())
_ADVERBS = frozenset(
    "also always already still just now then instead never not only again once there here "
    "simultaneously".split()
)
_WORD = re.compile(r"[A-Za-z]+(?:[’'][A-Za-z]+)?|[■□]+|\d+")
_CONTRACTED = re.compile(r"(?:it|that|there|this|they|you|he|she|we|who|what)'(?:s|re|ve|ll|d)")
_ENDING = re.compile(r"ing$|ed$|(?<![su])s$")
# Nouns that a quotation behind them explains.
_NAMING = re.compile(r"words?|phrases?|terms?|text|names?|named|called|says?|reads?|means?")


def finite_verb(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the first finite verb in text[start:end] that has a subject before it and
    is in no relative clause; None if there is none, as in a command. A contraction (`it's`) counts
    whole; without any verb that is known, one in -s may, or a quotation (■) at the end.

    >>> text = "any card that was drawn is put back"
    >>> text[slice(*finite_verb(text, 0, len(text)))]
    'is'
    >>> finite_verb("the additional costs of the spell", 0, 33)
    """
    words = list(_WORD.finditer(text, start, end))
    forms = [word[0].lower().replace("’", "'") for word in words]
    inner = 0  # verbs of clauses such as "whose cards are shown"
    for index, word in enumerate(words):
        if _is_finite(forms, index):
            if inner == forms[:index].count("whose"):
                return word.span()
            inner += 1
    for index, word in enumerate(words):
        if _may_be_unknown_verb(forms, index):
            return word.span()
    if len(words) > 1 and forms[-1][0] == "■":  # a permanent “phases in”
        named = forms[-2] in _NO_VERBS or _NAMING.fullmatch(forms[-2])
        return None if named else words[-1].span()
    return None


def _is_finite(forms: list[str], index: int) -> bool:
    """Return whether a word is the finite verb of its clause.

    forms: the words of a clause in small letters, with straight apostrophes. The first of them is
        one only if it is a contraction with its subject (`it's`).
    """
    form = forms[index]
    if index == 0:
        return _CONTRACTED.fullmatch(form) is not None
    if _CONTRACTED.fullmatch(form) or form.endswith(("'s", "s'")):
        return False
    before = index - 1
    while before > 0 and (forms[before] in _ADVERBS or forms[before].endswith("ly")):
        before -= 1
    previous = forms[before]
    if previous in _RELATIVE and before > 0:
        return False
    if form in _AUXILIARIES:
        return True
    if form in _OWNING:
        return before <= 1 and not previous.endswith("ing")  # changing control of it
    if form in _NO_VERBS or previous in _NO_VERBS - _SUBJECT_WORDS:
        return False
    following = forms[index + 1] if index + 1 < len(forms) else ""
    if _is_in_relative_clause(forms, before):
        return _stem(form) in _STEMS and form not in _STEMS and form not in _NOUNS
    if previous in _ACTOR_PRONOUNS:
        return form.isalpha() and (form in _STEMS or not form.endswith(("ing", "ly", "ed")))
    if form.endswith("s") and not form.endswith(("ss", "us", "is")):
        ends_singular = forms[0] in _SINGULAR_DETERMINERS and following in {"", *_ADVERBS}
        return _is_singular_verb(form, previous, following) or (
            ends_singular and not _is_plural(previous)
        )
    if form in _STEMS and forms[0] in _PLURAL_DETERMINERS and following in _NO_VERBS:
        return before > 0
    if previous[0] in "■□":
        return form in _STEMS
    return _is_plural(previous) and (form in _STEMS or following in _OBJECTS - {"to"})


def _is_in_relative_clause(forms: list[str], end: int) -> bool:
    """Return whether a relative pronoun with its verb stands in forms[1:end]: "that lets you"."""
    return any(
        forms[index] in _RELATIVE and _stem(forms[index + 1]) in _STEMS
        for index in range(1, end - 1)
    )


def _may_be_unknown_verb(forms: list[str], index: int) -> bool:
    """Return whether a word in -s may be a verb that is not listed: behind a noun in the singular,
    where no noun in the plural of a list of things would stand."""
    form, previous = forms[index], forms[index - 1]
    following = forms[index + 1] if index + 1 < len(forms) else ""
    return (
        index > 1
        and forms[0] in _BEFORE_SINGULAR
        and _is_plural(form)
        and form not in _NOUNS
        and previous not in _NO_VERBS
        and _RELATIVE.isdisjoint(forms[1:index])
        and not _is_plural(previous)
        and (following == "" or following in _NO_VERBS - {"of", "and", "or", "that", "which"})
    )


def _is_singular_verb(form: str, previous: str, following: str) -> bool:
    """Return whether a word in -s is a verb: it is listed and no noun, stands behind an actor such
    as "player", or has an object behind it and no plural before it."""
    if previous in _ACTORS or (_stem(form) in _STEMS and form not in _NOUNS):
        return True
    has_object = following in _OBJECTS or following[:1] == "■"
    return has_object and not _is_plural(previous)


def _stem(form: str) -> str:
    """Return the form of a verb without the ending of the third person; other words without an s
    at their end."""
    if form.endswith("ies"):
        return form[:-3] + "y"
    if form.endswith("es") and form[:-2] in _STEMS:
        return form[:-2]
    return form.removesuffix("s")


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith(("ss", "'s", "us", "is"))


def is_command(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] begins with a verb in the imperative, behind adverbs: a listed
    one, or any word in the base form that a determiner follows. False if it is empty.

    >>> is_command("draw a card", 0, 11), is_command("the card", 0, 8)
    (True, False)
    """
    forms = [
        word[0].lower().replace("’", "'") for word in islice(_WORD.finditer(text, start, end), 4)
    ]
    while forms and forms[0] in _ADVERBS:
        del forms[0]
    if not forms:
        return False
    if forms[0] in _STEMS or forms[0] in {"do", "don't"}:
        return True
    has_object = len(forms) > 1 and forms[1] in _DETERMINERS
    is_base_form = forms[0].isalpha() and not _ENDING.search(forms[0])
    return has_object and is_base_form and forms[0] not in _NO_VERBS
