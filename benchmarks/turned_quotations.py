"""Measures how `verify` takes quotations whose sense was turned round, and true ones beside them.

    python -m benchmarks.turned_quotations --kb FILE [--number 200] [--seed 7] [--each]

From rules that forbid or limit something, in English and Japanese, quotations are made that say
the opposite: the negation, "may", "only" or "unless" taken out, plainly or within an omission of
one to fifteen words that is marked by …; in Japanese by pairs such as できない/できる. None may
stand for the rule that it cites. Beside them true quotations, whole and with omissions that hide
none of these words, or whole sentences: all should stand.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import kb
from kb.language.fold import is_japanese

# Written apart from the table that `verify` uses, so that one does not share the other's gaps.
_TAKEN_OUT = (
    (re.compile(r"\b(ca)n['’]t\b", re.I), r"\1n"),
    (re.compile(r"\b(can)not\b", re.I), r"\1"),
    (re.compile(r"\b(is|are|was|were|has|have|had|could|would|must|should)n['’]t\b", re.I), r"\1"),
    (re.compile(r"\bwon['’]t\b", re.I), "will"),
    (re.compile(r"\b(?:does|do|did)n['’]t\s", re.I), ""),
    (re.compile(r"\b(?:does|do|did) not\s", re.I), ""),
    (re.compile(r"\bnot\s", re.I), ""),
    (re.compile(r"\bnever\s", re.I), ""),
    (re.compile(r"\bmay\s"), ""),
    (re.compile(r"\bonly\s", re.I), ""),
    (re.compile(r"\bunless\b"), "if"),
    (re.compile(r"\bexcept\b"), "and"),
    (re.compile(r"\bwithout\b"), "with"),
)
_HIDES_SENSE = re.compile(
    r"n['’]t\b|\b(?:not|cannot|never|no|none|nor|neither|without|except|unless|only|may|must|but"
    r"|other than|rather|instead|nobody|nothing)\b",
    re.I,
)
_PAIRS = (
    ("できません", "できます"), ("できない", "できる"), ("しません", "します"), ("しない", "する"),
    ("されない", "される"), ("はならない", "もよい"), ("ならない", "なる"), ("ではない", "である"),
    ("でない", "である"), ("持たない", "持つ"), ("受けない", "受ける"), ("行わない", "行う"),
    ("行なわない", "行なう"), ("含まない", "含む"), ("含まれない", "含まれる"), ("いない", "いる"),
    ("支払わない", "支払う"), ("与えない", "与える"), ("得ない", "得る"), ("離れない", "離れる"),
    ("にのみ", "に"), ("のみ", ""), ("でないかぎり", "であるかぎり"), ("ない限り", "る限り"),
    ("以外の", "の"), ("てもよい", "る"), ("を除く", "を含む"), ("だけ", ""),
)  # fmt: skip
_HIDES_SENSE_JA = re.compile(
    r"ない|なく|なけれ|ません|ず[、にがは]|以外|除|のみ|だけ|限|かぎ|しか|もよい|なし|無し|不"
)


def _rules(base: kb.KnowledgeBase, lang: str, games: frozenset[str]) -> list[kb.Node]:
    newest: dict[str | None, str] = {}
    rules = [
        one for one in base.nodes("rule") if one.text and one.lang == lang and one.game in games
    ]
    for one in rules:
        newest[one.game] = max(newest.get(one.game, ""), one.edition or "")
    return [one for one in rules if one.edition == newest[one.game]]


def _sentences(text: str) -> list[str]:
    pattern = r"(?<=[。])" if is_japanese(text) else r"(?<=[.!?])\s+(?=[A-Z])"
    return [one.strip() for one in re.split(pattern, " ".join(text.split())) if one.strip()]


def turned(
    base: kb.KnowledgeBase, games: frozenset[str], number: int, seed: int
) -> Iterator[tuple[str, kb.Node, str]]:
    """Yield (how it was turned, rule, the words of a quotation that says something else)."""
    rng = random.Random(seed)
    for lang in ("en", "ja"):
        rules = _rules(base, lang, games)
        rng.shuffle(rules)
        made = 0
        for rule in rules:
            if made >= number:
                break
            text = " ".join((rule.text or "").split())
            ways = [way for way in _ways(text, rng) if _says_something(way[1])]
            if ways:
                made += 1
                how, words = rng.choice(ways)
                yield f"{lang}: {how}", rule, words


def _says_something(words: str) -> bool:
    return len(words) >= 20 if is_japanese(words) else len(words.split()) >= 5


def _ways(text: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    for sentence in _sentences(text):
        for shown in (sentence, text):
            if len(shown) < 20 or len(shown) > 1500:
                continue
            if is_japanese(shown):
                for word, other in _PAIRS:
                    if word in shown:
                        yield f"{word}/{other}", shown.replace(word, other, 1)
                continue
            for pattern, other in _TAKEN_OUT:
                found = pattern.search(shown)
                if found:
                    yield (
                        "plainly",
                        shown[: found.start()] + found.expand(other) + shown[found.end() :],
                    )
                    yield "omission", _omitted(shown, found.start(), rng)


def _omitted(text: str, place: int, rng: random.Random) -> str:
    """Return a text with a word at some place, and up to fourteen around it, left out by …."""
    words = text.split(" ")
    index, length = 0, 0
    while length + len(words[index]) < place + 1 and index < len(words) - 1:
        length += len(words[index]) + 1
        index += 1
    size = rng.randint(1, 15)
    first = max(0, index - rng.randint(0, size - 1))
    return " ".join([*words[:first], "…", *words[first + size :]])


def true(
    base: kb.KnowledgeBase, games: frozenset[str], number: int, seed: int
) -> Iterator[tuple[str, kb.Node, str]]:
    """Yield (how, rule, the words of a true quotation): whole, with an honest omission, or without
    a whole sentence."""
    rng = random.Random(seed + 1)
    for lang in ("en", "ja"):
        rules = [one for one in _rules(base, lang, games) if 40 <= len(one.text or "") <= 1500]
        rng.shuffle(rules)
        made = 0
        for rule in rules:
            if made >= number:
                break
            text = " ".join((rule.text or "").split())
            way = rng.choice(("whole", "omission", "sentence"))
            words = text
            if way == "omission":
                words = _honest(text, rng)
            elif way == "sentence":
                every = _sentences(text)
                if len(every) < 3:
                    continue
                words = " ".join([every[0], "…", *every[2:]])
            if words:
                made += 1
                yield f"{lang}: {way}", rule, words


def _honest(text: str, rng: random.Random) -> str:
    """Return a text without a piece that hides no word of sense; empty if there is none."""
    japanese = is_japanese(text)
    # Nobody cuts a Latin word of a Japanese text in two.
    units = re.findall(r"[A-Za-z0-9.]+|.", text) if japanese else text.split(" ")
    hides = _HIDES_SENSE_JA if japanese else _HIDES_SENSE
    between = "" if japanese else " "
    for _ in range(20):
        size = rng.randint(2, 25) if japanese else rng.randint(1, 15)
        if len(units) < size + 12:
            continue
        first = rng.randint(4, len(units) - size - 4)
        gap = between.join(units[first : first + size])
        near = between.join(units[max(0, first - 3) : first + size + 4])
        if not hides.search(near if japanese else gap):
            return between.join([*units[:first], "…", *units[first + size :]])
    return ""


def dressed(words: str, rule: kb.Node, rng: random.Random) -> str:
    """Return a text in which a rule is said to have some words."""
    game = {"mtg": "Magic", "lorcana": "Lorcana", "riftbound": "Riftbound"}.get(rule.game or "", "")
    if rule.lang == "ja":
        words = words.replace("「", "『").replace("」", "』")
        return rng.choice(
            (
                f"{game}の総合ルール{rule.number}には「{words}」とある。",
                f"{game}では「{words}」（ルール{rule.number}）と定められている。",
                f"{game}のルール{rule.number}によると、「{words}」。",
                f"{game}の総合ルール\n\n> {words}\n> — {rule.number}\n",
            )
        )
    words = words.replace("“", "‘").replace("”", "’")
    return rng.choice(
        (
            f"{game}: Rule {rule.number} says “{words}”",
            f"In {game}, “{words}” (rule {rule.number}).",
            f"According to {game} rule {rule.number}, “{words}”",
            f"{game} rule {rule.number}:\n\n> {words}\n",
        )
    )


def main(arguments: list[str]) -> None:
    """Print how many quotations that say something else stand, and how many true ones don't."""
    options = dict(pairwise(arguments))
    base = kb.open(options["--kb"])
    number, seed = int(options.get("--number", 200)), int(options.get("--seed", 7))
    games = frozenset(options.get("--games", "mtg,lorcana,riftbound").split(","))
    rng = random.Random(seed)
    for name, quotations, should in (
        ("turned round", turned(base, games, number, seed), False),
        ("true", true(base, games, number, seed), True),
    ):
        verdicts: Counter[str] = Counter()
        wrong: Counter[str] = Counter()
        of_all: Counter[str] = Counter()
        for how, rule, words in quotations:
            text = dressed(words, rule, rng)
            claims = [one for one in base.verify(text).claims if one.kind == "quotation"]
            verdicts.update([one.verdict for one in claims] or ["no claim"])
            of_all[how.split(" ")[0] if "/" in how else how] += 1
            stands = bool(claims) and all(one.stands for one in claims)
            if should:
                is_wrong = not stands
            else:
                cited = base.verify(text).claims
                is_wrong = not claims or (
                    any(one.stands for one in claims) and all(one.stands for one in cited)
                )
            if is_wrong:
                wrong[how] += 1
                if "--each" in arguments:
                    print(
                        f"{how} {rule.id} {[(c.verdict, c.message) for c in claims]}\n   {text!r}"
                    )
        total = sum(of_all.values())
        print(
            f"{name}: {total}, wrong {sum(wrong.values())} {dict(wrong)}; verdicts {dict(verdicts)}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
