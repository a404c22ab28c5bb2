"""Finds conditions and their results in English sentences: "if A, B" and "B if A".

A sentence is read as segments between commas. A condition at its beginning goes on over segments
that begin with "and", "or" or "but", and over lists, until the main clause begins. What can't be
told apart is left out: no statement is better than a wrong one.

A stretch of words is a statement if it has a finite verb. There is no tagger here. Auxiliaries are
a closed class; of the other verbs, those that rules are written with are listed, and any verb
counts behind a pronoun or a word such as "player". Verbs of relative clauses ("a card that was
drawn") are no verbs of the clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from kb.knowledge.outcomes.conditions import LINE, Modality, Sentence, mask_brackets

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
_RELATIVE_PRONOUNS = frozenset("that which who whom whose".split())
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
    if previous in _RELATIVE_PRONOUNS and before > 0:
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
        forms[index] in _RELATIVE_PRONOUNS and _stem(forms[index + 1]) in _STEMS
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
        and _RELATIVE_PRONOUNS.isdisjoint(forms[1:index])
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


# Characters; a longer sentence is a list or no prose, as in `conditions`.
_LONGEST_SENTENCE = 600
# In the patterns, how many words or characters may stand between two words is by hand, as in
# `conditions`.
# The end of a sentence, with a quotation that ends in a full stop of its own.
_SENTENCE_END = re.compile(r"[.!?][)\]”\"’]{0,3}(?=\s+[^a-z\s]|\s*$)")
_STRAIGHT_QUOTES = re.compile(r'"([^"\n]*)"')
# The number of a rule, bullets, and a label at the beginning.
_HEAD = re.compile(
    r"(?:[\s•*·●▪◦➢–—-]+|(?:\d{1,4}[.)]|\d{1,4}(?:[.-][0-9a-zA-Z]{1,4}){1,8}[.)]?)(?=\s))*"
)
_LABEL = re.compile(r"([A-Z][\w’' -]{0,30}):\s")
_NO_SUBJECT_LABEL = re.compile(r"(?:Examples?|Notes?|Exceptions?|Tips?|Q|A)\b")
# Words before a statement that are no part of it.
_OPENING = re.compile(
    r"(?:\s|(?:and|but|or|so|yet|then|thus|(?P<exception>however|(?:as|by way of) an exception)|"
    r"otherwise|also|additionally|"
    r"similarly|likewise|therefore|furthermore|moreover|hence|for example|for instance|in other "
    r"words|in addition|as a result|note that|remember that|first|second|third|fourth|fifth|next|"
    r"finally|lastly|normally|generally|usually|that is|i\.e\.|e\.g\.|"
    r"th(?:is|at) means(?:\sthat)?)\b,?(?=\s)|,)*",
    re.IGNORECASE,
)
# Words that begin a condition.
_SUBORDINATOR = re.compile(
    r"\b(?:(?:but\s|and\s)?(?:only|even|except|as well as)\s)?"
    r"(?:if|whenever|when|unless|(?:for\s)?as long as|while|provided that)\b"
    r"(?!\s(?:any|applicable|necessary|needed|appropriate|desired)(?:,|\s*$))",
    re.IGNORECASE,
)
# Words behind which "if" and "when" begin a question or a noun's clause.
_ASKING = re.compile(
    r"\b(?:see|check(?:s|ed|ing)?|determin(?:e|es|ed|ing)|know(?:s|n|ing)?|ask(?:s|ed|ing)?|as|"
    r"what|exactly|of|about|matters?|decid(?:e|es|ing)|remember|verify|defin(?:e|es|ed|ing)|"
    r"specif(?:y|ies|ied|ying)|describ(?:e|es|ing)|explain(?:s|ed)?|time|moment|point|than|on|"
    r"clarif(?:y|ies|ied)|indicat(?:e|es|ed|ing)|tells?|from|for|is|are|was)\s+$",
    re.IGNORECASE,
)
# A relative clause that a condition belongs to: "an ability that triggers when …".
_IN_RELATIVE_CLAUSE = re.compile(
    r"\b(?:which|who|that)\s(?:(?:can|may|can’t|can't|is|are|was|were|will|would|has|have)\s)?"
    r"(?:only\s|also\s|still\s)?(?:be\s|been\s)?"
    r"(?:[a-z]+ed|triggers?|appl(?:y|ies)|happens?|functions?|occurs?|works?|exists?|begins?|"
    r"ends?|resolves?|lasts?|remains?|dies?|leaves?|enters?|starts?)(?:\s(?:only|up|down|in))?\s$|"
    r"\b(?:which|who|that)\s(?:is|are|was|were)\s[a-z]+\s$|"
    r"\b(?:to|of|for|from|besides)\s[a-z]+ing\s$"
)
_SEE = re.compile(r"\s*(?:also )?see\b")
# The sign for the end of a quotation with a comma in it, which is a comma of the sentence.
_QUOTED_COMMA = "﹐"
_COMMA_IN_QUOTATION = re.compile(r",[”’](?=\s)")
_COMMA = re.compile(rf",(?=\s)|(?<={_QUOTED_COMMA})\s")
# A dash before two capitalized words is part of a name: "Ann – Red Queen".
_UNIT_END = re.compile(r";|—|\s[–-]\s(?![A-Z][\w’'-]*(?:\s(?:of|the|in|and))*\s[A-Z])|$")
# How a segment may begin that is no main clause.
_AND = re.compile(r"\s*(?:and/or|and|or|but|nor|yet|as well as)\b", re.IGNORECASE)
_NO_CLAUSE = re.compile(
    r"\s*(?:such as|including|excluding|like|with|without|which|who|whom|whose|where|whether|even|"
    r"rather|because|since|as|although|though|except|other than|not|no matter|regardless|"
    r"instead of|in|on|at|by|from|for|of|to|into|during|before|after|until|due|per|under|"
    r"up to|via|through|within|among|between|than|so|how|"
    r"meaning|depending|having|assuming|why|what|"
    r"(?:immediately|right|just)\s(?:before|after)|each time|(?:the )?(?:next|first|last) time)\b"
)
# How a phrase begins that may stand before "if" and belongs to the condition.
_ADVERBIAL = re.compile(
    r"\s*(?:in|on|at|by|for|from|during|before|after|until|as|to|when|while|under|with|without|"
    r"because|since|each time|the (?:first|next|last) time|immediately|once|within|outside|"
    r"[a-z]+ly|instead|at any time)\b",
    re.IGNORECASE,
)
# What ends a condition at the end of a sentence.
_BEHIND_CONDITION = re.compile(
    r"\s*(?:so|but|yet|then|and then|and so|which means|meaning|rather than|instead|although|"
    r"though|regardless|because|since|to|of)\b"
)
_OTHER_PREDICATE = re.compile(
    r"\sbut\s(?:will|won[’']t|can|do|does|don|doesn|is|are|has|have|must)"
)
_NEW_MAIN_CLAUSE = re.compile(
    r"\s*and\s(?:[\w’'-]+\s){1,6}?(?:can|can’t|can't|cannot|may|must|will|won’t|won't)\b"
)
_CONJUNCTION_BEFORE = re.compile(r"(?:,\s*|\b)(?:and|but|or|so)(?:\sthen)?,?\s*$")
_INNER_CONJUNCTION = re.compile(r",\s(?:and|but|so|or)(?:\sthen)?\s")
_LEADING = re.compile(r"(?:\s|,|then\b)*", re.IGNORECASE)
_TRAILING = re.compile(r"(?:[\s,:]|\b(?:and|or|but|only|even|except)$)+$")
# A result that ends so is cut off.
_CUT_OFF = re.compile(
    r"\b(?:as|than|to|of|for|that|with|in|by|from|the|an?|is|are|be|can|may|must|will|has|have|"
    r"which|who|its|their|such|just)$",
    re.IGNORECASE,
)
_NO_RESULT = re.compile(
    r"\s*(?:and|or|but|even|as(?!\slong)|than|which|who|to|of|is|are|was|"
    r"this includes|were|has|have|can|may|must|will|such as|including|how|why|what|where|"
    r"whether)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?:it|they|he|she|this|that|these|those|each)?", re.IGNORECASE)
_PARTICIPLE = re.compile(r"\w+(?:ed|en)\b")
_NO_SUBJECT = re.compile(
    r"\s*(?:there|here|one|both|all|none|doing so|no|how|what|whether|if|when)\s*$|"
    r"\s*(?:if|when|while|unless|to|not)\b",
    re.IGNORECASE,
)
_IMPERSONAL_IT = re.compile(r"it(?:[’']s|\sis)\s(?:\w+\s){1,2}to\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(r"(?:its|their|his|her)\s", re.IGNORECASE)  # of what "it" is
_SEVERAL = re.compile(r"\b(?:the|those|these|all|some|two|three|both)\s(?:\w+\s){0,2}\w+[^us’']s\b")
_THING = re.compile(r"\b(?:turn|effect|ability|source|spell|card|object)\b(?![’'])")  # no "they"
_IMPERSONAL = re.compile(r"(?:an?|any|the|that)\s(?:\w+\s)?(?:effect|rule)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"\b(?:an?|the|that|each|any|one|another|its|their)\s(?:\w+\s){0,2}?"
    r"(?:player|opponent|controller|owner|team)\b"
)
# Words before a subject, and behind it.
_ADVERBIAL_BEFORE = re.compile(
    r"\s*(?:(?:instead|then|also|still|only|first|thus|simply|once again|although|though|however|"
    r"otherwise)\b,?|"
    r"(?:in|for|during|at|on|after|before|until|by|from|as|to|while|immediately|within|once|"
    r"because|since)\b[^,]*,)\s*",
    re.IGNORECASE,
)
_PHRASE_BEFORE = re.compile(
    r"\s*(?:if|when|whenever),?\s(?:at|during|in|on|for|after|before|as)\b[^,]*", re.IGNORECASE
)
_BRACKETS_BEFORE = re.compile(r"[\s,□]+(?=[A-Za-z])")
_SUBJECT_END = re.compile(
    r",\s(?=such|which|who|even|like|[a-z]+ing)|"
    r"(?:\s(?:also|still|always|then|instead|both|only|just|even|first|now|thus|never|no longer|"
    r"and|but|ever|\w+ly))+\s*$"
)
# A relative clause; one that is cut off, as its verb was not told from a noun; and the subject of
# one that no word begins: "a card they" control.
_RELATIVE = re.compile(
    r"(?<!\bof)(?<!\bin)(?<!\bon)(?<!\bby)(?<!\bto)(?<!\bfor)(?<!\bfrom)(?<!\bwith)"
    r"\sthat(?:[’']s)?\s|(?:\s(?:in|on|to|by|of|from|at|with))?\s(?:which|who|whose|where)\s"
)
_CUT_OFF_CLAUSE = re.compile(
    r"\s(?:(?:\w+\swhich|where)\b.*|whose(?:\s\S+){1,3}|"
    r"that\s(?:you|they|it|we|(?:an?|the|no)\s\w+)|.*\b(?:and|n?or|but|has|have|they|\w+n[’']t))\s*$"
)
_OF_RELATIVE_CLAUSE = re.compile(
    r"\s(?:such as|(?:they|you|it|we)\s(?!that\b)\w+)\b|(?<!ing)\s(?:they|you|it|we|he|she)\s*$|"
    r"(?<!\bof)(?<!\bin)(?<!\bon)(?<!\bas)(?<!\bat)(?<!\bby)(?<!\bto)(?<!\bfor)(?<!\bfrom)(?<!\bwith)(?<!\band)(?<!or)"
    r"(?<!\b[Ss]uch)(?<!\bthan)(?<!\bthat)(?<!\ball)(?<!\bboth)(?<!\bhalf)(?<!\binto)"
    r"(?<!\bunder)(?<!\bnot)(?<!\bexcept)(?<!ing)\s(?:a|an|the|that|its|their)\s\w+\s*$"
)
_WHICH_IS_LEFT_OUT = re.compile(
    r"\s(?:it|they|you|we|he|she|(?:an?|the|that|its|their)\s\w+)\s(?:\w+\s)?\w+"
)
# Characters. The longest subjects found in Magic's rules have 93; longer ones are several clauses,
# whose verbs were not told from nouns.
_LONGEST_SUBJECT = 110
_SHORT_SUBJECT = 3  # words; a command may look like the beginning of such a one: `draw effects are`
# What the verb of a result says.
_CANNOT = re.compile(
    r"(?:can['’]t|cannot|can(?:\s(?:also|still|only|\w+ly))?\snot|may(?:\sstill)?\snot|must\snot|mustn['’]t)\b|"
    r"(?:can|may)\s(?:no longer|never)\b|"
    r"(?:is|are)(?:n['’]t|\snot|\sno\slonger)\s(?:allowed|permitted|able)\b"
)
_FORBIDDEN = re.compile(r"(?:do\snot|don['’]t|never)\b", re.IGNORECASE)
_MAY = re.compile(
    r"(?:may|can)\b|(?:is|are)\s(?:also\s|still\s|only\s)?(?:allowed|permitted|able)\sto\b"
)
_MUST = re.compile(
    r"must\b|(?:has|have|needs?)\sto\b|(?:is|are)\s(?:also\s|still\s)?(?:required|obliged)\sto\b|"
    r"shall\b"
)
_SegmentKind = Literal["condition", "and", "clause", "no clause", "other"]


_Span = tuple[int, int]


class EnglishStatement(NamedTuple):
    """A condition with its result, as spans in the text.

    subject: what the result is about, in words of the text; empty if it does not say.
    """

    condition: tuple[int, int]
    result: tuple[int, int]
    subject: str
    modality: Modality


class _Segment(NamedTuple):
    """What stands between two commas; `end` is before the comma."""

    start: int
    end: int
    kind: _SegmentKind


# -- sentences ----------------------------------------------------------------------------


def english_sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of an English text, with quotations and brackets masked.

    In order; each line is read for itself. A sentence begins behind the number of a rule, bullets
    and a label, which is in `label` unless it is one such as `Example`. The full stop is left out
    unless it is in a quotation. Questions, and sentences of more than 600 characters, are left out.

    >>> text = "4.1a If it is “a.” Then stop. Example: You win."
    >>> [text[s.start : s.end] for s in english_sentences(text)]
    ['If it is “a.”', 'Then stop', 'You win']
    """
    for line in LINE.finditer(text):
        # Positions must stay: each mark is replaced by one.
        quoted = _STRAIGHT_QUOTES.sub(r"“\1”", line[0]).replace("‘", "'")
        signs = list(mask_brackets(quoted))
        for match in _COMMA_IN_QUOTATION.finditer(quoted):
            if signs[match.start()] != ",":
                signs[match.end() - 1] = _QUOTED_COMMA
        masked = "".join(signs)
        start = 0
        for match in _SENTENCE_END.finditer(quoted):
            end = match.end() if match[0][1:] else match.start()
            outside = masked[match.start()] == quoted[match.start()]
            if not outside and not match[0][1:]:
                continue  # within a quotation
            if not outside and masked[match.end() : match.end() + 1] in ("■", "□"):
                continue
            if match[0][0] != "?" and end - start <= _LONGEST_SENTENCE:
                yield from _sentence(masked, start, end, line.start())
            start = match.end()
        if 0 < len(line[0]) - start <= _LONGEST_SENTENCE:
            yield from _sentence(masked, start, len(line[0]), line.start())


def _sentence(masked: str, start: int, end: int, line_start: int) -> Iterator[Sentence]:
    """Yield the sentence in masked[start:end], a part of a line, if it has anything but a number,
    bullets and a label: one or none."""
    head = _HEAD.match(masked, start, end)
    start = head.end() if head else start
    label = ""
    if match := _LABEL.match(masked, start, end):
        start = match.end()
        label = "" if _NO_SUBJECT_LABEL.match(match[1]) else match[1]
    if masked[start:end].strip():
        yield Sentence(line_start + start, line_start + end, masked[start:end], label)


def is_english_exception(sentence: Sentence) -> bool:
    """Return whether a sentence says that it is an exception to what stands before it, by words at
    its beginning: `however`, `as an exception`.

    >>> is_english_exception(next(english_sentences("However, a red card stays.")))
    True
    """
    opening = _OPENING.match(sentence.masked)
    return opening is not None and opening["exception"] is not None


# -- statements ---------------------------------------------------------------------------


@lru_cache(1 << 13)  # editions of a book have most of their passages in common
def english_sentences_with_statements(
    text: str,
) -> Sequence[tuple[Sentence, Sequence[EnglishStatement]]]:
    """Return the sentences of an English text in order, each with its conditions and results; with
    none if it states nothing on a condition. What is returned is cached: it must not be changed.

    >>> [(_, [found])] = english_sentences_with_statements("You win if you stand.")
    >>> found.subject, found.modality
    ('You', 'is')
    """
    return [(each, [*english_statements(text, each)]) for each in english_sentences(text)]


def english_statements(text: str, sentence: Sentence) -> Iterator[EnglishStatement]:
    """Yield the conditions of an English sentence with their results, in order; none where it is
    unclear what belongs to which.

    text: the text that the sentence is from.

    >>> text = "If A is 1, or B is 2, you lose unless C is 3."
    >>> [found] = english_statements(text, next(english_sentences(text)))
    >>> text[slice(*found.condition)], text[slice(*found.result)], found.subject
    ('If A is 1, or B is 2', 'you lose unless C is 3', 'you')
    """
    masked = sentence.masked
    for start, end in _units(masked):
        for condition, result in _unit_statements(masked, start, end):
            yield EnglishStatement(
                (sentence.start + condition[0], sentence.start + condition[1]),
                (sentence.start + result[0], sentence.start + result[1]),
                _subject(text, sentence, condition, result),
                english_modality(masked, *result),
            )


def _units(masked: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between the semicolons and dashes of a sentence, in order.

    A semicolon in a list, before what is no statement, divides nothing; the span then begins at
    what was before it.
    """
    ends = list(_UNIT_END.finditer(masked))
    start = 0
    for end, following in zip(ends, [*ends[1:], None], strict=True):
        if following and end[0] == ";":
            behind = end.end(), following.start()
            if not finite_verb(masked, *behind) and not _SEE.match(masked, *behind):
                continue
        yield start, end.start()
        start = end.end()


def _unit_statements(masked: str, start: int, end: int) -> Iterator[tuple[_Span, _Span]]:
    """Yield the spans of the conditions and results in masked[start:end], in order; it has no
    semicolon or dash that parts statements."""
    while start < end:
        opening = _OPENING.match(masked, start, end)
        start = opening.end() if opening else start
        found = _next_subordinator(masked, start, end)
        if found is None:
            return
        if not masked[start:found].strip() or _is_adverbial(masked, start, found):
            statement, rest = _condition_first(masked, start, found, end)
        elif _CONJUNCTION_BEFORE.search(masked, start, found) and _is_statement(
            masked, start, found
        ):
            start = found  # what stands before has no condition
            continue
        else:
            statement, rest = _condition_last(masked, start, found, end)
        if statement:
            yield statement
        start = rest


def _next_subordinator(masked: str, start: int, end: int) -> int | None:
    """Return where the next condition begins in masked[start:end]; None if there is none. Behind a
    word such as `check` or `time`, an `if` or `when` begins none."""
    for match in _SUBORDINATOR.finditer(masked, start, end):
        if not _ASKING.search(masked, max(start, match.start() - 20), match.start()):
            return match.start()
    return None


def _is_adverbial(masked: str, start: int, end: int) -> bool:
    """Return whether masked[start:end], before a condition, is a phrase such as "In a draft, "."""
    return bool(
        masked[start:end].rstrip().endswith(",")
        and _ADVERBIAL.match(masked, start, end)
        and not any(segment.kind == "clause" for segment in _segments(masked, start, end - 1)[1:])
    )


def _is_statement(masked: str, start: int, end: int) -> bool:
    """Return whether masked[start:end] has a finite verb or is a command."""
    return finite_verb(masked, start, end) is not None or is_command(masked, start, end)


def _segments(masked: str, start: int, end: int) -> list[_Segment]:
    """Return the segments between the commas of masked[start:end], in order; at least one."""
    cuts = [match.start() for match in _COMMA.finditer(masked, start, end)]
    starts = [start, *(cut + 1 for cut in cuts)]
    return [
        _Segment(first, last, _kind(masked, first, last))
        for first, last in zip(starts, [*cuts, end], strict=True)
    ]


def _kind(masked: str, start: int, end: int) -> _SegmentKind:
    """Return what a segment of a sentence is; the first that applies: `condition` (it begins with
    `if`, also behind `and`), `and` (with a conjunction), `no clause` (with a preposition or the
    like), `clause` (it is a statement), `other`."""
    conjunction = _AND.match(masked, start, end)
    begin = _LEADING.match(masked, conjunction.end() if conjunction else start, end)
    begin_at = begin.end() if begin else start
    subordinator = _SUBORDINATOR.match(masked, begin_at, end)
    if subordinator:
        return "condition"
    if conjunction:
        return "and"
    if _NO_CLAUSE.match(masked, begin_at, end):
        return "no clause"
    return "clause" if _is_statement(masked, begin_at, end) else "other"


def _condition_first(
    masked: str, start: int, subordinator: int, end: int
) -> tuple[tuple[_Span, _Span] | None, int]:
    """Return the condition at masked[start:] and its result, and where reading goes on.

    The first is None if no main clause is found (then reading goes on at `end`), or it is none that
    a rule states.

    start: where the condition's words begin; subordinator: where its "if" does.
    """
    segments = _segments(masked, subordinator, end)
    main = _main_segment(masked, segments)
    if main is None:
        return None, end
    result_end = end
    for before, segment in zip(segments[main:], segments[main + 1 :], strict=False):
        if segment.kind == "condition" and _AND.match(masked, segment.start):
            result_end = before.end  # ", but if …" states something else
            break
    result = _trimmed_result(masked, segments[main].start, result_end)
    condition = start, segments[main - 1].end
    return ((condition, result) if result else None), result_end


def _main_segment(masked: str, segments: list[_Segment]) -> int | None:
    """Return the index of the segment in which the main clause begins behind a condition.

    It is the first clause behind the condition's own; but where a clause is followed by another
    that begins with "and", "or" or "but", and that by a further clause, the former are part of the
    condition. None if there is none.
    """
    main: int | None = None
    joined = False  # a clause with a conjunction stands behind the supposed main clause
    clauses = [index for index, each in enumerate(segments) if each.kind == "clause"]
    begins = (
        1  # behind the condition's own clause, if a phrase stands before that: "If at any time,"
    )
    if len(clauses) > 1 and _PHRASE_BEFORE.fullmatch(
        masked, segments[0].start, segments[clauses[0] - 1].end
    ):
        begins = clauses[0] + 1
    for index, segment in enumerate(segments[begins:], begins):
        if segment.kind == "condition" and main is not None:
            break
        if segment.kind == "clause" and (main is None or joined):
            main, joined = index, False
        elif segment.kind == "and" and main is not None:
            conjunction = _AND.match(masked, segment.start)
            begin = conjunction.end() if conjunction else segment.start
            joined = not masked[begin:].lstrip().startswith("then") and _is_statement(
                masked, begin, segment.end
            )
    return main


def _condition_last(
    masked: str, start: int, subordinator: int, end: int
) -> tuple[tuple[_Span, _Span] | None, int]:
    """Return the condition that begins in the middle of masked[start:end] with the result before
    it, and where reading goes on: behind the condition. The first is None if what stands before is
    no statement, or the condition belongs to a part of it, such as a relative clause."""
    segments = _segments(masked, subordinator, end)
    last = _last_of_condition(masked, segments)
    condition_end = segments[last].end
    if other := _OTHER_PREDICATE.search(masked, subordinator, condition_end):
        condition_end = other.start()  # goes on about the subject of the result
    while masked[condition_end - 1] in ": ":
        condition_end -= 1
    condition = subordinator, condition_end
    follows = segments[last + 1 :]
    before = _segments(masked, start, subordinator)[-1]
    inserted = bool(follows) and (
        before.kind == "and"
        and not _is_statement(masked, _behind_conjunction(masked, before.start), before.end)
    )
    if (
        inserted
        or _IN_RELATIVE_CLAUSE.search(masked, start, subordinator)
        or (follows and re.match(r"\s*(?:to|of)\b", masked[follows[0].start : end]))
    ):
        return None, condition_end
    result = _trimmed_result(masked, _last_main_clause(masked, start, subordinator), subordinator)
    return ((condition, result) if result else None), condition_end


def _behind_conjunction(masked: str, start: int) -> int:
    conjunction = _AND.match(masked, start)
    return conjunction.end() if conjunction else start


def _last_of_condition(masked: str, segments: list[_Segment]) -> int:
    """Return the index of the last segment that belongs to a condition behind its result; 0 if only
    its own does."""
    last = 0
    for index, segment in enumerate(segments[1:], 1):
        if segment.kind == "and":
            if _NEW_MAIN_CLAUSE.match(masked, segment.start) or _BEHIND_CONDITION.match(
                masked, segment.start
            ):
                break
            inner = _next_subordinator(masked, segment.start, segment.end)
            if inner and finite_verb(masked, segment.start, inner):
                break  # ", and B if C"
            last = index
        elif segment.kind == "condition":
            last = index
        elif segment.kind == "no clause" and not _BEHIND_CONDITION.match(masked, segment.start):
            last = index if last == index - 1 else last
    return last


def _last_main_clause(masked: str, start: int, end: int) -> int:
    """Return where the last of the main clauses in masked[start:end] begins; `start` if there is
    only one."""
    for match in _INNER_CONJUNCTION.finditer(masked, start, end):
        if finite_verb(masked, start, match.start()) and finite_verb(masked, match.end(), end):
            start = match.end()
    return start


def _trimmed_result(masked: str, start: int, end: int) -> _Span | None:
    """Return the span of a result without conjunctions and commas around it; None if it is no
    statement, seems to be cut off, or has one word only."""
    leading = _LEADING.match(masked, start, end)
    start = leading.end() if leading else start
    if trailing := _TRAILING.search(masked, start, end):
        end = trailing.start()
    words = masked[start:end]
    if (
        _CUT_OFF.search(words)
        or _NO_RESULT.match(words)
        or words.count(" ") < 1
        or not _is_statement(masked, start, end)
    ):
        return None
    return start, end


# -- subject and modality -----------------------------------------------------------------


def _subject(text: str, sentence: Sentence, condition: _Span, result: _Span) -> str:
    """Return what a result is about, in the words of the text: the subject of its verb or, for a
    pronoun behind a condition, what that is about; the pronoun itself if that is unclear. Empty for
    a command, and if the subject is no name."""
    if _is_command(sentence.masked, *result):
        return ""
    words = _words_before_verb(text, sentence, *result)
    if not words or not _PRONOUN.fullmatch(words) or result[0] < condition[0]:
        return words
    if words.lower() in {"this", "that", "these", "those", "each"}:
        return words  # what is said before, not what the condition is about
    if _IMPERSONAL_IT.match(sentence.masked, *result):
        return words
    subordinators = list(_SUBORDINATOR.finditer(sentence.masked, *condition))
    meant = ""
    if len(subordinators) == 1:
        meant = _words_before_verb(text, sentence, subordinators[0].end(), condition[1])
    if _PRONOUN.fullmatch(meant) or _PARTICIPLE.match(meant) or _OF_ANOTHER.match(meant):
        meant = ""
    if words.lower() == "they":
        if _names_several(sentence.masked, *condition):
            return words
        meant = "" if _THING.search(meant) else meant
        return _last_person(text, sentence, condition) or meant or words
    return words if _PERSON.match(meant) or _IMPERSONAL.match(meant) else meant or words


def _names_several(masked: str, start: int, end: int) -> bool:
    """Whether a condition has something in the plural behind its verb, which "they" may mean."""
    verb = finite_verb(masked, start, end)
    return verb is not None and _SEVERAL.search(masked, verb[1], end) is not None


def _last_person(text: str, sentence: Sentence, condition: _Span) -> str:
    """Return the player whom "they" may mean: the last one that a condition names, with what `of`
    adds to it ("the controller of the ability"), or empty."""
    persons = list(_PERSON.finditer(sentence.masked, *condition))
    if not persons:
        return ""
    start, end = persons[-1].span()
    if sentence.masked.startswith(" of ", end):  # the controller of the ability
        verb = finite_verb(sentence.masked, start, condition[1])
        end = _name_end(sentence.masked, start, verb[0]) if verb else end
    return text[sentence.start + start : sentence.start + end].strip()


def _words_before_verb(text: str, sentence: Sentence, start: int, end: int) -> str:
    """Return the words of the subject of a clause, without adverbials before it; empty if the
    clause has no verb, or its subject is no name ("there") or has more than 110 characters."""
    masked = sentence.masked
    while adverbial := _ADVERBIAL_BEFORE.match(masked, start, end):
        start = adverbial.end()
    if brackets := _BRACKETS_BEFORE.match(masked, start, end):
        start = brackets.end()
    verb = finite_verb(masked, start, end)
    if verb is None:
        return ""
    contracted = masked[verb[0] : verb[1]].replace("’", "'")
    if verb[0] <= start and "'" in contracted:
        return contracted.partition("'")[0]
    stop = _name_end(masked, start, verb[0])
    if masked[stop : verb[0]].strip() and _WHICH_IS_LEFT_OUT.match(masked, stop, verb[1]):
        main = finite_verb(masked, verb[0], end)  # the card it represents | is set aside
        stop = main[0] if main and main[0] - start <= _LONGEST_SUBJECT else stop
    found = masked[start:stop]
    if len(found) > _LONGEST_SUBJECT or _NO_SUBJECT.match(found):
        return ""
    return text[sentence.start + start : sentence.start + stop].strip()


def _name_end(masked: str, start: int, end: int) -> int:
    """Return where the name in masked[start:end], before a verb, ends: with its relative clause if
    that is whole, without what else is behind it."""
    relative = _RELATIVE.search(masked, start, end)
    if relative and (
        end - start > _LONGEST_SUBJECT or _CUT_OFF_CLAUSE.match(masked, relative.start(), end)
    ):
        end, relative = relative.start(), None
    for behind in (_SUBJECT_END,) if relative else (_SUBJECT_END, _OF_RELATIVE_CLAUSE):
        cut = behind.search(masked, start, end)
        if cut and cut.start() > start:
            end = cut.start()
    return end


def english_modality(masked: str, start: int, end: int) -> Modality:
    """Return whether the result in masked[start:end] must, may or cannot be done, or is so.

    The first finite verb decides; a command must be done (`don't` and `never`: cannot), and so must
    words without a verb.

    >>> [english_modality(t, 0, len(t)) for t in ("you can't win", "draw a card", "it can be so")]
    ['cannot', 'must', 'may']
    """
    while adverbial := _ADVERBIAL_BEFORE.match(masked, start, end):
        start = adverbial.end()
    verb = finite_verb(masked, start, end)
    if verb is None or _is_command(masked, start, end):
        return "cannot" if _FORBIDDEN.match(masked, start, end) else "must"
    if _CANNOT.match(masked, verb[0], end):
        return "cannot"
    if _MAY.match(masked, verb[0], end):
        return "may"
    return "must" if _MUST.match(masked, verb[0], end) else "is"


def _is_command(masked: str, start: int, end: int) -> bool:
    """Return whether masked[start:end] is a command, and no statement about a noun that looks like
    a verb, such as "draw effects are": its finite verb would come within the first four words."""
    verb = finite_verb(masked, start, end)
    return is_command(masked, start, end) and (
        verb is None or masked.count(" ", start, verb[0]) > _SHORT_SUBJECT
    )
