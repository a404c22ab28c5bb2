"""Finds where a draft says the opposite of its source: a negation lost or added, a word in place of
its opposite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from kb.checking.draft import Finding, comparable_parts, finding_at
from kb.checking.house_usage import ReadSegment
from kb.reason import Reason

# Chosen with the rules that are loaded in both languages (Magic, Lorcana, Riftbound; 2,400 pairs of
# up to 300 characters), where what is found is a false alarm or a slip of the rules themselves:
# 15 of 2,400 for negations, 21 for opposites. Of negations that were taken away by a script 45 in
# 100 were found: the others stand beside another word of `_MAYBE`.
_NOT = {
    "en": re.compile(
        r"\b(?:not|cannot|never|neither(?:\b[^.;]{1,60}\bnor)?|nor)\b|n['’]t\b"
        r"|\bno (?!more than|less than|fewer|longer)",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"ない(?!限り|かぎり|か[。？をどと確])|ません(?!か)|(?<!必)(?<!^ま)(?<![、。\s「『（]ま)ず(?=[、。にと]|$)|(?<=[がさたなまらばぎ])ぬ|でなくな[っる]"
    ),

    "de": re.compile(
        r"\b(?:nicht(?! (?:mehr|weniger) als)|kein(?:e[nmrs]?)?(?! (?:mehr|weniger) als)"
        r"|nie(?:mals)?|niemand\w*|weder)\b",
        re.IGNORECASE,
    ),
    # Two words that deny once, as in `no … ningún`, are one.
    "fr": re.compile(
        r"\b(?:pas(?! (?:plus|moins) de)|jamais|aucune?|nul(?:le)?|ni\b(?:[^.;:]{1,60}?\bni)?)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(?:no(?! (?:más|menos) (?:de|que))\b"
        r"(?:[^.;:,]{1,60}?\b(?:ning[uú]n[oa]?|nunca|nada|nadie|ni))?|nunca|jamás|ningún|ninguna?|tampoco|ni)\b",
        re.IGNORECASE,
    ),
    "it": re.compile(
        r"\b(?:non(?! (?:più|meno) di)\b(?:[^.;:,]{1,60}?\b(?:nessun[oa]?|mai|niente|nulla|né))?"
        r"|nessun[oa]?|mai|né)(?!\w)",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"\b(?:não(?! (?:mais|menos) (?:de|que))\b(?:[^.;:,]{1,60}?\b(?:nenhuma?|nunca|nada|nem))?"
        r"|nunca|jamais|nenhuma?|nem)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"不(?![同仅僅只论論管过過断斷等再灭滅分变變利透])[是会會能可]?|没有|沒有|[没沒](?=被)|未(?![来來开開])|无法|無法"
    ),
    "ko": re.compile(
        r"[지치](?:는|도|를)? ?(?:않|못|말)|수(?:는|도|가)? ?없"
        r"|(?<![수관])(?<!상관)(?<!계)없(?=[다습는으이어을음])|아니(?=[다라며고면])|아닌|아닙"
    ),
}  # fmt: skip
# Names of cards, in whose words nothing is denied.
_NAMES = re.compile(
    r"《[^《》\n]{1,60}》|[A-Z][\w’'.]*(?: (?:[A-Z&][\w’'.]*|of|the|to|and))* [–—-] [A-Z][\w’'!?-]*"
    r"(?: (?:[A-Z&][\w’'!?-]*|of|the|to|and|but|in|for|a|on))*"
)
# What may say the same without a word of negation, so that nothing is said where it stands.
_MAYBE = {
    "en": re.compile(
        r"\b(?:not|cannot|never|nor|neither|no|none|nothing|nobody|without|unless|only|except\w*"
        r"|until|rather|instead|fails?|failed|unable|impossible|prevent\w*|ignor\w*|skip\w*|lack\w*"
        r"|stop\w*|declin\w*|keeps?|avoid\w*|refus\w*|forbid\w*|prohibit\w*|bans?|banned|too|los[et]s?|empty"
        r"|fewer|less|remov\w*|negat\w*|cease\w*|else|alone|exempt|outside|beyond|exclud\w*"
        r"|false|preclud\w*|countered|restrict\w*|otherwise|redundant|optional|nonexistent|non-?\w+|illegal"
        r"|un(?!der|it|iq|iver|til|ion|if)[a-z]{3,}|just|free"
        r"|aside|out of|safe|differ\w*|yet to|must|has to|have to|before|any"
        r"|in(?:valid|correct|active|complete|eligible|dependent|finite|definite)\w*|[a-z]+less)\b"
        r"|n['’]t\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"な[いくけしかさ]|ません|ず(?!れ)|ぬ|不|非|未|無|のみ|だけ|しか(?![もし])|以外|除|まで|限|かぎり|失|禁|止|避|抜"
        r"|てから|[てめ]初めて|てはじめて|遠慮|空|代わ|飛ば|スキップ|ほか|切れ|違反|超|余|減|違|異|逆|消|負|拒|[0０]枚|ゼロ"
    ),

    "de": re.compile(
        r"\b(?:nicht\w*|kein\w*|nie\w*|weder|ohne\w*|au(?:ß|ss)er\w*|ausgenommen|ausschlie(?:ß|ss)\w*"
        r"|nur|lediglich|(?:an)?statt\w*|anstelle|bis|solange|bevor|ehe|vor|sonst\w*|andernfalls"
        r"|ander[se]\w*|verhinder\w*|ignorier\w*|übersp\w*|verl(?:ie|o)r\w*|leer\w*|weniger|entfern\w*"
        r"|frei\w*|muss|müssen|fehl\w*|verb(?:ie|o)t\w*|untersag\w*|vermeid\w*|scheiter\w*|gescheitert"
        r"|beliebig\w*|auf(?:hör|heb|gehob)\w*|allein\w*|erst|optional\w*|verzicht\w*"
        r"|ab(?:lehn|gelehn)\w*"
        r"|illegal\w*|neutralisier\w*|beend\w*|endet|zu (?:viele?|wenige?)"
        r"|un(?!d\b|s\b|ser|ter|ten|gef)[a-zäöüß]{3,}"
        r"|in(?:aktiv|valid|korrekt)\w*|[a-zäöüß]{3,}los(?:e[nmrs]?)?)\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:ne|pas|jamais|aucune?|nul(?:le)?|rien|personne|ni|non|sans|sauf|except\w*|hormis|seul\w*"
        r"|uniquement|jusqu\w*|avant|plutôt|lieu|autre\w*|ignor\w*|per[dt]\w*|vides?|moins|retir\w*|supprim\w*"
        r"|empêch\w*|évit\w*|échou\w*|refus\w*|interdi\w*|annul\w*|impossib\w*|illéga\w*|doi\w*|faut|trop"
        r"|cess\w*|hors|libre\w*|manqu\w*|sinon|quelconque|prév\w*|que"
        r"|in(?:val|act|corr|compl|égal|dép|déf|util)\w*)\b|\bn['’]",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(?:no|nunca|jamás|ning\w*|nad[ai]e?|ni|tampoco|sin|salvo|except\w*|s[oó]lo|solamente|únicamente"
        r"|hasta|antes|vez|lugar|otr[oa]s?|ignor\w*|pierd\w*|perd\w*|vací\w*|menos|retir\w*|elimin\w*|remov\w*"
        r"|quit\w*|evit\w*|imp[ie]d\w*|prev\w*|fall\w*|fracas\w*|prohib\w*|anul\w*|contrarr\w*|imposib\w*|ilegal\w*"
        r"|deb\w*|fuera|libre\w*|falt\w*|dej\w*|aparte|cualquier\w*|demás|in(?:vál|act|corr|compl|dep|def)\w*)\b",
        re.IGNORECASE,
    ),
    "it": re.compile(
        r"\b(?:non|nessun\w*|mai|niente|nulla|né|senza|salvo|tranne|eccett\w*|sol[oa]|soltanto|solamente"
        r"|unicamente|fino|finché|prima|invece|posto|altr[oaie]\w*|ignor\w*|perd\w*|pers[oaie]|vuot[oaie]|meno"
        r"|rim(?:uo|o)\w*|tolt\w*|evit\w*|imped\w*|prev\w*|fall\w*|proib\w*|viet\w*|annull\w*|neutralizz\w*"
        r"|impossib\w*|illegal\w*|dev[eo]\w*|fuori|liber\w*|manc\w*|qualsiasi|qualunque"
        r"|in(?:val|att|corr|compl|dip|def)\w*)(?!\w)",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"\b(?:não|nunca|jamais|nenhuma?|nada|ninguém|nem|sem|salvo|exce\w*|s[oó]|somente|apenas|até"
        r"|antes|vez|lugar|outr[oa]s?|ignor\w*|perd\w*|vazi[oa]s?|menos|retir\w*|remov\w*|evit\w*|imped\w*|prev\w*"
        r"|falh\w*|proib\w*|anul\w*|impossív\w*|ilega\w*|dev\w*|fora|livre\w*|falt\w*|deix\w*|qualquer|demais"
        r"|in(?:vál|at|corr|compl|dep|def)\w*)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        r"[不没沒无無未非别勿莫除仅僅只唯空少余餘另否输輸违違拒免禁才直外缺抗异異]|[之以]前|忽略|略[过過]|跳[过過]"
        r"|失[去败敗]|移[除去]|防止|阻止|避免|代替|取代|改[为為]|其[他它余]|停止|反[击擊]|取消|必[须須]|任[意何]"
    ),
    "ko": re.compile(
        r"않|못|없|아니|아닌|아닙|안 |불가|비활성|무효|무시|미만|이외|외에|제외|까지"
        r"|[만뿐](?=[ 이의을]|$)|전에|대신|잃|패배|제거|막|건너|금지|실패|부족|초과|달리|다른|다르"
        r"|반드시|[아어해]야|빈 |비어"
    ),
}  # fmt: skip
# Words of negation that deny nothing.
_IDIOMS = {
    "en": re.compile(
        r"\bnot only\b|\bif not\b|\bwhether or not\b|\bno matter\b|\bdon['’]t forget\b"
        r"|\b(?:do|does|did|need)(?:n['’]t| not) (?:need|have to|matter|mind)\b"
        r"|\bneed not\b|\bnot (?:necessarily|sure)\b|\bcareful not to\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"(?:なければ|なくては)(?:な|い)[^、。]{0,4}|なくても|かもしれ(?:ない|ません)|(?:かま|構)(?:わない|いません)"
        r"|問(?:わない|いません|わず)|(?:支障|差し支え)は?[^、。]{0,2}(?:ない|ありません)"
        r"|に(?:も)?すぎ(?:ない|ません)|だけで(?:は)?なく|のみならず|(?<!で)なくなる"
        r"|例外で(?:は)?(?:な|あり)[^、。]{0,3}|忘れ(?:な|ず)[^、。]{0,3}|ばかに(?:なり|でき)ません|しか[^、。]{0,6}な[いく]|(?:損は|間違い|問題|仕方|ほかなら|越したことは)(?:な[いく]|(?:は|も)?ありません)"
    ),

    "de": re.compile(
        r"\bnicht (?:nur|unbedingt|notwendig\w*)\b|\boder nicht\b"
        r"|\b(?:muss|müssen|musst|brauch\w*)\b[^.;,]{0,60}?\bnicht\b"
        r"|\b(?:nicht|kein\w*)\b[^.;,]{0,40}?\b(?:muss|müssen|brauch\w*)\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\bpas (?:seulement|nécessair\w*|besoin|obligé\w*|que)\b|\bou (?:pas|non)\b"
        r"|\bn['’](?:importe|oublie)\w*\b",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\bno (?:s[oó]lo|solamente|necesariamente|importa|es necesario|hace falta"
        r"|necesit\w*|tien\w* que)\b|\bo no\b",
        re.IGNORECASE,
    ),
    "it": re.compile(
        r"\bnon (?:solo|soltanto|necessariamente|importa|è necessario|serve|occorre)\b"
        r"|\bo (?:no|meno)\b",
        re.IGNORECASE,
    ),
    "pt": re.compile(
        r"\bnão (?:s[oó]|apenas|somente|necessariamente|importa|é necessário|precis\w*)\b"
        r"|\bou não\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        "不必|不需要?|不用|不一定|不[仅僅只]|是不是|能不能|不[论論管]|无[论論]|無論|不得不"
        "|而不是|也不[能会會是属屬]?|不公[开開]|不相干"
    ),
    "ko": re.compile(
        "지 않아도|수밖에 없|지 않으면 안|뿐(?:만)? 아니라|상관 ?없|관계 ?없|필요(?:가|는)? ?없"
    ),
}  # fmt: skip
# These, by which clauses are told apart and the verb that is denied, are of two languages only.
_CANNOT = {
    "en": re.compile(r"\bcan(?:not|['’]t| not)\b|\b(?:unable|not able) to\b", re.IGNORECASE),
    "ja": re.compile(
        r"でき(?:ない|ません|ず)|[らかさたなまばえけせてねめれげ]れ?(?:ない|ません)(?=[。、]|こと)"
    ),
}  # fmt: skip
_CAN = {
    "en": re.compile(r"\b(?:can|may)\b(?! not|['’])|(?<!un)(?<!not )\bable to\b", re.IGNORECASE),
    "ja": re.compile(
        r"でき(?:る|ます|れば|た|て|、)|ても(?:よ|い|かま|構)|られ(?:る|ます)(?=[。、])"
    ),
}  # fmt: skip
_ONLY = {
    "en": re.compile(
        r"\b(?:only|except\w*|unless|other than|nobody|no one|nothing|none|no|neither)\b",
        re.IGNORECASE,
    ),
    "ja": re.compile("しか(?![もし])|以外|除|のみ|だけ|例外"),
}
_UNLESS = {
    "en": re.compile(r"\bunless\b", re.IGNORECASE),
    "ja": re.compile(r"な(?:い|い(?:かぎ|限)り)(?:かぎり|限り)"),
}
# What says `unless` in other words.
_AS_UNLESS = {
    "en": re.compile(
        r"\b(?:unless|except\w*|only|not|no|without|until|other than|never|cannot|before)\b"
        r"|n['’]t\b",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"かぎり|限|別|までは|な(?:けれ|い(?:場合|なら|の))|以外|除|のみ|だけ|しか|でき?(?:ず|ない)(?!。)|ずに|まで"
    ),
}  # fmt: skip


# Words of `_MAYBE` that mean the same: as many in both texts, they stand for each other.
_SAME = [
    {
        lang: re.compile(words, re.IGNORECASE)
        for lang, words in zip(("en", "ja", "de", "zh"), row, strict=True)
        if words
    }
    for row in (
        (r"\bnegat\w*", "無効", "", ""),
        (r"\bprevent\w*", "軽減", r"\bverhinder\w*", "防止"),
        (r"\bcounter(?:s|ed|ing)\b", "打ち消", r"\bneutralisier\w*", "反[击擊]"),
        (r"\bremov\w*", "取り除|除去", r"\bentfern\w*", "移除|移去"),
        (
            r"\b(?:loses?|losing|lost)\b",
            "失[うわいっ]|負け|敗北",
            r"\bverl(?:ie|o)r\w*",
            "失去|[输輸]",
        ),
        (r"\bskip(?:s|ped|ping)?\b", "飛ば|スキップ", r"\bübersp\w*", "[略跳][过過]"),
        (r"\black(?:s|ing)?\b", "にない|持た(?:ない|ず)", "", ""),
        (r"\bempty\b", "空|[0０]枚", r"\bleer\w*", "空"),
        (r"\bun(?:spent|used)\b", "使わな(?:い|かった)|未使用", "", ""),
        (r"\bwithout\b", "持たない|なし(?:で|に)|なく|ずに", r"\bohne\b", ""),
        (r"\buntil\b", "まで", r"\bbis\b", "直到"),
        (r"\bmust\b", "なければな|必要が", r"\bm(?:ü|u)ss\w*", "必[须須]"),
        (r"\bbefore\b", "前に|以前", r"\b(?:be)?vor\b", "[之以]前"),
        (r"\binstead\b", "代わ", r"\b(?:an)?statt\w*|\banstelle\b", "改[为為]|代替|取代"),
        (r"\b(?:an)?other\b|\belse\b", "", r"\bander[se]\w*", "其[他它]|另"),
        (r"\bany\b", "", r"\bbeliebig\w*", "任[意何]"),
        (r"\bunless\b", "", r"\bes sei denn\b", "除非"),
        (r"\bexcept\w*", "", r"\bau(?:ß|ss)er\w*|\bausgenommen\b", "除了|之外|以外"),
    )
]
# The same of words that one text may have more often, to limit what the other limits once.
_SAME_LIMIT = {
    "en": re.compile(r"\bonly\b", re.IGNORECASE),
    "ja": re.compile("だけ|のみ"),
    "de": re.compile(r"\bnur\b", re.IGNORECASE),
    "zh": re.compile("[只仅僅]"),
}


def can_deny(lang: str) -> bool:
    """Whether the words of negation of a language are known."""
    return lang in _NOT


def denials(text: str, lang: str) -> list[tuple[int, int]]:
    """Return the spans of the words that deny something in a text, in order; none in a language of
    which `can_deny` is False.

    >>> denials("You can't lose, or need not to.", "en"), denials("札を引かない。", "ja")
    ([(4, 9)], [(2, 6)])
    """
    bare = _IDIOMS[lang].sub(_blank, _NAMES.sub(_blank, text)) if can_deny(lang) else ""
    return [_words_at(bare, match) for match in _NOT[lang].finditer(bare)] if bare else []


class _Pair(NamedTuple):
    """Two words of one language that say the opposite of each other, as patterns."""

    one: re.Pattern[str]
    other: re.Pattern[str]


def opposites(read: ReadSegment) -> Iterator[Finding]:
    """Yield where a segment's target says the opposite of its source, one finding a segment: a word
    in place of its opposite (in the languages of `opposites.tsv`), at that word; else a negation
    that only one of both has. Nothing in a language of which `can_deny` is False, and nothing if
    the target isn't the translation of all of a source."""
    langs = read.source_lang or "", read.target_lang
    if read.source is None or not read.is_whole or not all(map(can_deny, langs)):
        return
    source, target = comparable_parts(read.source, read.target)
    found = opposite_words(source, target, langs) or _changed_negation(source, target, langs)
    if found is None:
        return
    said, given, (start, end) = found
    yield finding_at(
        read.segment,
        start,
        end,
        "opposite",
        said,
        giver=Reason("source"),
        source_text=given or None,
    )


# What is wrong, words of the source, and the span of those of the target.
TurnedWord = tuple[Reason, str, tuple[int, int]]


# Columns of `opposites.tsv`: those of a word and of its opposite.
_COLUMNS = {"en": (0, 2), "ja": (1, 3), "de": (4, 5), "zh": (6, 7)}


def opposite_words(source: str, target: str, langs: tuple[str, str]) -> TurnedWord | None:
    """Return the first word of the target that it has more often than the source, while it has the
    opposite of that word less often; None without one, and in other languages than those of
    `opposites.tsv`. Both may be in one language.

    >>> found = opposite_words("That player loses.", "Dieser Spieler gewinnt.", ("en", "de"))
    >>> found[1:]
    ('loses', (15, 22))
    """
    if not _COLUMNS.keys() >= {*langs}:
        return None
    counts = [len(denials(text, lang)) for lang, text in zip(langs, (source, target), strict=True)]
    if (counts[0] - counts[1]) % 2:
        return None  # what denies the opposite says the same: `must be different`, 同じ…できない
    for own, others in zip(*map(_pairs, langs), strict=True):
        for turned in (0, 1) if own and others else ():
            if not (others[1 - turned].search(target) and own[turned].search(source)):
                continue
            given, kept = own[turned].findall(source), others[turned].findall(target)
            instead = list(others[1 - turned].finditer(target))
            there = own[1 - turned].findall(source)
            is_exchanged = len(given) > len(kept) and len(instead) > len(there)
            if is_exchanged and not (kept and there):
                place = instead[-1] if there or kept else instead[0]
                said = Reason("opposite_word", source=given[-1], written=place[0])
                return said, given[-1], place.span()
    return None


@cache
def _pairs(lang: str) -> tuple[_Pair | None, ...]:
    """Return the words of a language with their opposites, in the order of the file; None where it
    has none for the language."""
    text = files("kb.checking.checks").joinpath("opposites.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    words = ([row[n] if n < len(row) else "" for n in _COLUMNS[lang]] for row in rows)
    return tuple(
        _Pair(*(re.compile(word, re.IGNORECASE) for word in pair)) if all(pair) else None
        for pair in words
    )


def _changed_negation(source: str, target: str, langs: tuple[str, str]) -> TurnedWord | None:
    """Return the negation, or `unless`, that only one of two texts has in any words; None if both
    have one, or none."""
    lang, target_lang = langs
    source, target = (_NAMES.sub(_blank, text) for text in (source, target))
    bare = [
        _IDIOMS[one].sub(_blank, text) for one, text in zip(langs, (source, target), strict=True)
    ]
    source, target, *bare = _without_same((source, target, *bare), langs)
    are_both = _CAN.keys() >= {*langs}  # the languages of all tables
    for not_, maybe in ((_UNLESS, _AS_UNLESS), (_NOT, _MAYBE))[0 if are_both else 1 :]:
        lost, added = not_[lang].search(bare[0]), not_[target_lang].search(bare[1])
        if not_ is _UNLESS and len(_NOT[lang].findall(bare[0])) > 1:
            added = None  # `who has not … can't …`
        if lost and not maybe[target_lang].search(target):
            return _lost(source, _words_at(source, lost), target, target_lang)
        if added and not maybe[lang].search(source):
            return _added(target, _words_at(target, added))
    found = _fewer_negations(source, target, bare, langs)
    if found or not are_both:
        return found
    cannot = [len(_CANNOT[one].findall(text)) for one, text in zip(langs, bare, strict=True)]
    can = [len(_CAN[one].findall(text)) for one, text in zip(langs, (source, target), strict=True)]
    denials = [len(_NOT[one].findall(text)) for one, text in zip(langs, bare, strict=True)]
    only = denials != cannot or any(
        _ONLY[one].search(text) for one, text in zip(langs, bare, strict=True)
    )
    if (
        sum(cannot)
        and not only
        and denials == cannot
        and cannot[0] + can[0] == cannot[1] + can[1]
        and abs(cannot[0] - cannot[1]) == 1
    ):
        side = 0 if cannot[0] > cannot[1] else 1
        denied = _CANNOT[langs[side]].search(bare[side])
        assert denied
        if side:
            return _added(target, denied.span())
        return _lost(source, denied.span(), target, target_lang)
    return None


def _without_same(texts: Sequence[str], langs: tuple[str, str]) -> list[str]:
    """Return texts without the words of `_SAME` that source and target have as often.

    texts: source, target, and both in another form, which is treated alike.
    """
    found = list(texts)
    for words in (*_SAME, _SAME_LIMIT):
        if not words.keys() >= {*langs}:
            continue
        source, target = (
            words[lang].findall(text) for lang, text in zip(langs, texts, strict=False)
        )
        if len(source) == len(target) > 0 or (words is _SAME_LIMIT and source and target):
            found = [
                words[lang].sub(_blank, text)
                for lang, text in zip((*langs, *langs), found, strict=True)
            ]
    return found


def _fewer_negations(
    source: str, target: str, bare: Sequence[str], langs: tuple[str, str]
) -> TurnedWord | None:
    """Return the negation that one of two texts has more than the other, which has some, and no
    other words that may deny anything; None without one. It is the one whose place in the sentence
    is farthest from those of the other text.

    bare: the two texts without idioms.
    """
    found = [list(_NOT[lang].finditer(text)) for lang, text in zip(langs, bare, strict=True)]
    more = 0 if len(found[0]) > len(found[1]) else 1
    rest = _NOT[langs[1 - more]].sub(" ", bare[1 - more])
    if not all(found) or len(found[0]) == len(found[1]) or _MAYBE[langs[1 - more]].search(rest):
        return None
    places = [
        [one.start() / max(len(text), 1) for one in each]
        for each, text in zip(found, bare, strict=True)
    ]
    alone = max(
        range(len(found[more])),
        key=lambda n: min(abs(places[more][n] - other) for other in places[1 - more]),
    )
    span = _words_at(bare[more], found[more][alone])
    return _added(target, span) if more else _lost(source, span, target, langs[1])


def _lost(source: str, span: tuple[int, int], target: str, lang: str) -> TurnedWord:
    """Return that nothing in the target denies what the source does in a span of it."""
    words = source[slice(*span)].strip()
    share = span[0] / max(len(source), 1)
    return Reason("negation_lost", source=words), words, _affirmed(target, lang, share)


def _added(target: str, span: tuple[int, int]) -> TurnedWord:
    """Return that a span of the target denies what nothing in the source does."""
    return Reason("negation_added", written=target[slice(*span)]), "", span


# Where a denial may have stood: the verbs of a clause.
_AFFIRMED = {
    "en": re.compile(
        r"\b(?:can|may|is|are|was|were|does|do|did|will|would|has|have|must|could|should)\b"
        r"(?!n['’]t| not)(?: \w+)?",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"[一-鿿ァ-ヺー]*[ぁ-ん]{0,5}(?:[うくぐすつぬぶむるた]|れば|なら|場合|です)(?=[。、」』）]|$|が[、。]?$|し$|ので|から)"
    ),
}
# Where a verb stands that is not in another clause: Japanese has the main one last.
_CLAUSES = {
    "en": re.compile(r"[^\s,;:.!?][^,;:.!?]*"),
    "ja": re.compile(r"[^\s。！？!?][^。！？!?]*"),
}


def _affirmed(target: str, lang: str, share: float) -> tuple[int, int]:
    """Return where a target most likely says what the source denies, at the same place: in Japanese
    the last verb of the sentence, in English the only verb of the clause that may be denied; else
    all of either, and of what is in another language.

    share: how much of the source stands before the denial.
    """
    clause = _CLAUSES["ja" if lang == "zh" else lang if lang in _CLAUSES else "en"]
    clauses = [match.span() for match in clause.finditer(target) if match[0].strip()]
    if not clauses:
        return 0, 0
    start, end = next((span for span in clauses if share * len(target) < span[1]), clauses[-1])
    verb = _AFFIRMED.get(lang)
    verbs = [match.span() for match in verb.finditer(target, start, end)] if verb else []
    return verbs[-1] if len(verbs) == 1 or (verbs and lang == "ja") else (start, end)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _words_at(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Return the span of a negation with what it is joined to before it, the word in English and up
    to four characters of a verb in Japanese: `can't` for `n't`, しない for ない."""
    start, end = found.span()
    is_before = re.search(r"[A-Za-zぁ-ん]", found[0])  # not in Chinese, and Korean has it all
    before = is_before and re.search(
        r"[A-Za-z]+$|[一-鿿]{0,3}[ぁ-ん]{1,3}$|[一-鿿]{1,4}$|[ァ-ヺー]+$", text[:start]
    )
    return (before.start() if before else start), end
