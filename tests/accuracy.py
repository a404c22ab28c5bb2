"""How well the extractors do what was labelled by hand.

    python -m tests.accuracy [--show KIND | --keep]

prints precision and recall a kind of knowledge; `--keep` writes them into docs/data.md. The labels
in `gold/` were made from reading the pages, not from what an extractor gave. A third of them is
held out: `--show` prints the mistakes in the others only, so that nobody tunes to these.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import kb
from graphs.model import Node
from kb.knowledge.cards import Card, cards
from kb.knowledge.names.mentions import NameLinker, search_keys
from kb.knowledge.outcomes.outcomes import Outcome, outcomes
from kb.knowledge.prepared_page import PageContext
from kb.knowledge.printed_cards import Face
from kb.knowledge.procedures import Procedure, procedures
from kb.knowledge.rules import stated_number
from kb.knowledge.rulings import rulings
from kb.knowledge.translations.aligned_texts import english_key
from kb.language.citations.citation_grammar import find_citations
from kb.language.fold import fold
from kb.language.headwords import Headword
from kb.language.tokens import Tokenizer, tokenizer
from scraper import Hints, Page, Passage, Snapshot, read_pages
from tests.captured import captured
from tests.conftest import ROOT, SHARED

GOLD = Path(__file__).parent / "gold"
PAGE = ROOT / "docs" / "data.md"
KEEP = "docs/data.md is not current: python -m tests.accuracy --keep"
_TABLE = re.compile(r"(<!-- accuracy -->\n).*?(<!-- end -->)", re.DOTALL)
FILES = {  # where the labels of a kind are, if not under its name
    "how cited": ("citations",),
    "terms": ("terms", "terms_not"),
    "translations": ("proposed_names",),
}
LABELLED = (  # what the labels of terms are of, whole
    "pages/mw119", "pages/puki147euc", "pages/wisdom-guild", "seeds",
    "corpora/mtg-cr-en/MagicCompRules_20231117.txt", "corpora/mtg-cr-ja",
    "corpora/lorcana-cr-ja/comprehensive-rules-jp.20251031.txt",
)  # fmt: skip
ALIGNED = (  # rulebooks in two languages, whose headwords have labels
    "corpora/mtg-cr-ja", "corpora/mtg-cr-en/MagicCompRules_20260116.txt",
    "corpora/lorcana-cr-ja/comprehensive-rules-jp.20251031.txt", "corpora/lorcana-cr-en",
    "corpora/rulebooks-more/riftbound-core-rules.20251001.ja.txt",
    "corpora/rulebooks-more/riftbound-core-rules.20251001.en.txt",
)  # fmt: skip
# All whose outcomes are labelled, passage by passage.
WHOLE_PAGES = (
    "pages/puki147euc/ygo/page_tsujo-no-draw.html",
    "seeds/000_a92d9642abd02351.txt",
    "pages/puki147euc/dm/page_tsukau.html",
    "pages/wisdom-guild/cr_r_121.reconstructed.html",
)
Case = dict[str, Any]
Links = dict[tuple[str, str | None], str]


@dataclass
class Score:
    """What was found, what should have been, and the mistakes."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    mistakes: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    def __add__(self, other: Score) -> Score:
        return Score(
            self.right + other.right,
            self.wrong + other.wrong,
            self.missed + other.missed,
            self.mistakes + other.mistakes,
        )


def cases(kind: str) -> Iterator[Case]:
    """The labelled cases of a kind. Those of files that are not here are left out."""
    labelled = _labelled(kind)
    yield from _by_passage(labelled) if kind == "outcomes" else labelled


def _labelled(kind: str) -> Iterator[Case]:
    for file in FILES.get(kind, (kind,)):
        for line in (GOLD / f"{file}.jsonl").read_text("utf-8").splitlines():
            case = json.loads(line)
            source = case.get("source")
            if source is None or (SHARED / source).exists():
                yield case


def _by_passage(labelled: Iterable[Case]) -> Iterator[Case]:
    """All outcomes of a passage as one case, so that what else is found there is wrong; and the
    passages without any, where the labels cover a whole page."""
    found: dict[tuple[str | None, str], Case] = {}
    for label in labelled:
        case = {part: label.get(part) for part in ("source", "passage", "text")}
        key = label["source"], label["passage"] or label["text"]
        found.setdefault(key, case | {"wanted": []})["wanted"].append(label)
    for source in WHOLE_PAGES:
        if (SHARED / source).exists():
            for passage in passages(source):
                case = {"source": source, "passage": passage, "text": None, "wanted": []}
                found.setdefault((source, passage), case)
    yield from found.values()


def held_out(case: Case) -> bool:
    """Whether a case is of the third that nobody tunes to."""
    parts = ("source", "passage", "text", "a", "b")
    key = " ".join(str(case.get(part)) for part in parts if part in case or part in parts[:3])
    return int(sha256(key.encode()).hexdigest(), 16) % 3 == 0


class _NoWords(Tokenizer):
    def __init__(self) -> None:
        pass

    def __call__(self, text: str) -> list[Any]:
        return []


@cache
def passages(source: str) -> dict[str, tuple[Page, Passage]]:
    """The passages of a file under the shared folder, by their ids."""
    found: dict[str, tuple[Page, Passage]] = {}
    for shot in captured(SHARED / source):
        for page in read_pages(shot)[0]:
            context = PageContext.of(page, _NoWords())
            found |= {
                key: (page, passage)
                for key, passage in zip(context.passage_ids, page.passages, strict=True)
            }
    return found


def passage_of(case: Case) -> tuple[Page | None, Passage]:
    """The passage that a case is about; a sentence of its own is a paragraph."""
    if case["source"] is None:
        return None, Passage("paragraph", case["text"])
    return passages(case["source"])[case["passage"]]


@cache
def _numbers(source: str, name: str) -> frozenset[str]:
    page = next(page for page, _ in passages(source).values() if page.name == name)
    stated = (stated_number(passage, page.source) for passage in page.passages)
    return frozenset(own[0] for own in stated if own) if page.source == "rulebook" else frozenset()


def score_citations(case: Case) -> Score:
    """Each cited number, where its words are."""
    page, passage = passage_of(case)
    text = passage.text
    own = stated_number(passage, page.source) if page else None
    numbers = _numbers(case["source"], page.name) if page else ()
    found = [
        (c.number, c.start, c.end) for c in find_citations(text, numbers, own[2] if own else 0)
    ]
    wanted = [
        (number, c["start"], c["end"])
        for c in case["citations"]
        if c["kind"] != "relative"
        for number in c["numbers"]
    ]
    return _matched(found, wanted, text, case)


def score_hows(case: Case) -> Score:
    """How the labelled rules are cited, of those that are found."""
    page, passage = passage_of(case)
    numbers = _numbers(case["source"], page.name) if page else ()
    own = stated_number(passage, page.source) if page else None
    found = {
        (c.number, c.start): c for c in find_citations(passage.text, numbers, own[2] if own else 0)
    }
    score = Score()
    for label in case["citations"]:
        for number in label["numbers"]:
            same = found.get((number, label["start"]))
            if same is None or label["kind"] == "relative":
                continue
            where = f"{same.how} for {label['kind']}: {_around(passage.text, same.start, same.end)}"
            wrong = same.how != label["kind"]
            score += Score(not wrong, wrong, wrong, [where] * wrong)
    return score


@cache
def _linker(game: str) -> NameLinker:
    known = json.loads((GOLD / "mentions.inventory.json").read_text("utf-8"))
    names = [(term, term) for term in known["terms"][game]]
    names += [
        (term, o) for term, others in known["other names"].get(game, {}).items() for o in others
    ]
    return NameLinker((term, way) for term, name in names for way in search_keys(name, tokenizer()))


def score_mentions(case: Case) -> Score:
    """Each place where a term of the inventory is spoken of; what is doubtful is not asked."""
    _, passage = passage_of(case)
    text = passage.text
    doubtful = case.get("doubtful", [])

    def sure(start: int, end: int) -> bool:
        return not any(start < e and s < end for s, e in doubtful)

    linked = _linker(case["game"]).mentions(*tokenizer().entries(text))
    found = [(m.terms[0], m.start, m.end) for m in linked if sure(m.start, m.end)]
    wanted = [
        (m["term"], m["start"], m["end"]) for m in case["mentions"] if sure(m["start"], m["end"])
    ]
    return _matched(found, wanted, text, case)


def _pages_of(case: Case) -> Page:
    """The page of a case: of the shared folder, or made from markup of its own."""
    if case["source"] is not None:
        return passages(case["source"])[case["passage"]][0]
    name, site = ("x.wiki", None) if case["engine"] == "wikitext" else ("x.txt", "pukiwiki")
    url = "http://mtgwiki.com/index.php?title=X&action=raw" if site is None else ""
    [page], _ = read_pages(
        Snapshot(name, case["markup"].encode(), url, hints=Hints(site=site, game=case.get("game")))
    )
    return page


def score_rulings(case: Case) -> Score:
    """All rulings of one page: how they begin, their dates, and what they are about."""
    return _compared(
        rulings(_pages_of(case).passages),
        case["wanted"],
        lambda found, wanted: (
            found.question.startswith(wanted["question_start"])
            and found.answer.startswith(wanted["answer_start"].replace("⇥", "\t"))
            and found.date == wanted["date"]
        ),
        case["source"],
    )


def score_procedures(case: Case) -> Score:
    """The procedures of one page, by their introductions and their steps in order. Of a whole
    rulebook (`partial`) not all are labelled, so that what else is found is not asked."""
    page = _pages_of(case)
    context = PageContext.of(page, _NoWords())
    numbers = {
        n: own[0] for n, p in enumerate(page.passages) if (own := stated_number(p, page.source))
    }
    ids, texts = context.passage_ids, [passage.text for passage in page.passages]

    def same(found: Procedure, wanted: Case) -> bool:
        steps = tuple(wanted["steps"])
        stated = tuple(texts[n] for n in found.steps)
        return tuple(ids[n] for n in found.steps) == steps or _begin(stated, steps)

    score = _compared(procedures(page.passages, numbers), case["wanted"], same, case["source"])
    return replace(score, wrong=0) if case.get("partial") else score


@cache
def known() -> tuple[dict[str, Node], Links]:
    """The terms and cards of the labelled pages, and the links between concepts."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kb.db"
        sources = [SHARED / source for source in LABELLED]
        kb.build([source for source in sources if source.exists()], path)
        with kb.open(path) as base:
            nodes = {node.id: node for node in [*base.nodes("term"), *base.nodes("card")]}
            links = {
                (edge.source, edge.target): str((edge.details or {}).get("relation"))
                for node in nodes
                if "/term/" in node
                for edge in base.refs(node, kinds=["same_concept"], direction="out").edges
            }
    return nodes, links


@cache
def names() -> dict[str, dict[str, set[str]]]:
    """The names, folded, of every term and card of the labelled pages, by game and by node."""
    found: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for node in known()[0].values():
        all_ = {fold(label.text) for label in node.labels}
        found[node.game or ""][node.id] = all_ | {fold(node.reading or "")}
    return found


def score_terms(case: Case) -> Score:
    """That a term is there, and each of its names. What is no term must be no term's name,
    but for one that a redirect gives."""
    if "game" not in case:
        games = names()
        hits = [
            node
            for game in games
            for node in games[game]
            if fold(node.split("/", 2)[2]) == fold(case["text"])
        ]
        return Score(wrong=bool(hits), mistakes=[f"+ {node}: {case['why']}" for node in hits])
    wanted = {fold(label["text"]) for label in case["labels"]}
    known = names()[case["game"]]
    own = fold(case["label"])
    # Homonyms are told apart by their names: the node that has most of them is meant.
    best = max(
        (known[node] for node in known if own in known[node]),
        key=lambda all_: len(all_ & wanted),
        default=set(),
    )
    missed = [name for name in {own, *wanted} if name not in best]
    mistakes = [f"- {case['game']} {case['label']}: {name} {case['source']}" for name in missed]
    return Score(len({own, *wanted}) - len(missed), 0, len(missed), mistakes)


@dataclass(frozen=True)
class Translation:
    """A Japanese name of a term that has an English one. place: among those that are proposed for
    its game, the likeliest first; None if pages state it."""

    game: str
    english: str
    japanese: str
    place: int | None


@cache
def translations() -> tuple[Translation, ...]:
    """What the terms of the aligned rulebooks are called in Japanese: stated and proposed."""
    found: list[Translation] = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kb.db"
        kb.build([SHARED / source for source in ALIGNED if (SHARED / source).exists()], path)
        with kb.open(path) as base:
            scores: dict[tuple[str, str, str], float] = {}
            for term in base.nodes("term"):
                game, stated = term.game or "", [n for n in term.labels if n.role != "proposed"]
                english = [name.text for name in stated if name.lang == "en"]
                japanese = [n.text for n in stated if n.lang == "ja" and n.role != "reading"]
                found += (Translation(game, e, j, None) for e in english for j in japanese)
                for edge in base.refs(term.id, kinds=["translates"], direction="out").edges:
                    if edge.source == term.id and edge.details and english:
                        said = game, english[0], edge.details["name"]
                        scores[said] = max(edge.details["score"], scores.get(said, 0.0))
    for game in {game for game, _, _ in scores}:
        of_game = sorted((key for key in scores if key[0] == game), key=lambda k: (-scores[k], k))
        found += (Translation(*key, place) for place, key in enumerate(of_game))
    return tuple(found)


def score_translations(case: Case) -> Score:
    """That the term of an English headword has one of its Japanese names, stated or proposed; what
    else is proposed for it among the first hundred of its game is wrong."""
    heads = {english_key(head) for head in (case["text"], *case["text"].split(","))}
    named = [
        name
        for name in translations()
        if name.game == case["game"] and english_key(name.english) in heads
    ]
    right = [name for name in named if any(_same_word(name.japanese, o) for o in case["ja"])]
    wrong = {
        name
        for name in named
        if name not in right
        and name.place is not None
        and name.place < 100
        and english_key(name.english) == english_key(case["text"])
    }
    mistakes = [f"+ {case['game']} {name.english}: {name.japanese}" for name in wrong]
    if not right:
        mistakes.append(f"- {case['game']} {case['text']}: {case['ja']}")
    return Score(int(bool(right)), len(wrong), int(not right), mistakes)


def _same_word(one: str, other: str) -> bool:
    """Whether two Japanese names are one, but for the kana behind it: 負ける and 負け."""
    one, other = fold(one).removesuffix("する"), fold(other).removesuffix("する")
    roots = [re.sub("[ぁ-ん]+$", "", name) for name in (one, other)]
    return one == other or (roots[0] == roots[1] != "")


def _begin(texts: tuple[str, ...], starts: tuple[str, ...]) -> bool:
    return len(texts) == len(starts) and all(
        text.startswith(start) for text, start in zip(texts, starts, strict=True)
    )


def score_cards(case: Case) -> Score:
    """One card of one page: its names and reading, its labelled fields, how its text begins and
    in which passages that stands, the passage that its box begins with; and the same of each
    face. All but texts are folded first. What a page gives beside its labelled cards is counted
    as wrong with the first of them."""
    page = _pages_of(case)
    context = PageContext.of(page, _NoWords())
    found = list(cards(context))
    here = ("source", "markup")
    labels = [o for o in cases("cards") if [o.get(x) for x in here] == [case.get(x) for x in here]]
    score = Score()
    if same := [card for card in found if fold(card.name.label) == fold(case["name_ja"])]:
        differ = list(_differences(same[0], case, context.passage_ids))
        score.right, score.wrong, score.missed = (
            int(not differ),
            int(bool(differ)),
            int(bool(differ)),
        )
        score.mistakes += [f"! {case['name_ja']}: {one} {case['source']}" for one in differ]
    else:
        score.missed = 1
        score.mistakes.append(f"- {case['name_ja']} {case['source']}")
    if labels[0] == case:
        known = {fold(other["name_ja"]) for other in labels}
        others = [card.name.label for card in found if fold(card.name.label) not in known]
        score.wrong += len(others)
        score.mistakes += [f"+ {name} {case['source']}" for name in others]
    return score


def _differences(card: Card, case: Case, ids: Sequence[str]) -> Iterator[str]:
    """What is not as labelled."""
    front = card.faces[0] if card.faces else Face(card.name, card.named[0], card.named)
    yield from _unlike(card.name, card.details, front, case, ids)
    names = [face.name.label for face in card.faces]
    for wanted in case.get("faces", ()):
        if wanted["name_ja"] in names:
            face = card.faces[names.index(wanted["name_ja"])]
            yield from _unlike(face.name, face.fields, face, wanted, ids)
        else:
            yield f"no face {wanted['name_ja']}"


def _unlike(
    name: Headword, fields: Mapping[str, Any], face: Face, case: Case, ids: Sequence[str]
) -> Iterator[str]:
    told = {"name_ja": name.label, "name_en": name.english, "reading": name.reading}
    wanted = {key: case[key] for key in told if case.get(key)} | case["fields"]
    told |= {key: fields.get(key) for key in case["fields"]}
    for key, value in wanted.items():
        if fold(str(told[key] or "")) != fold(str(value)):
            yield f"{key} {told[key]!r}, not {value!r}"
    if not face.text.startswith(case["text_start"]):
        yield f"text {face.text[:15]!r}, not {case['text_start']!r}"
    oracle = str(face.fields.get("oracle", ""))
    if not oracle.startswith(case.get("oracle_start", "")):
        yield f"oracle {oracle[:15]!r}, not {case['oracle_start']!r}"
    if [ids[place] for place in face.texts] != case["text_passages"]:
        yield f"text in {[ids[place] for place in face.texts]}, not {case['text_passages']}"
    if ids[face.place] != case["passage"]:
        yield f"box at {ids[face.place]}, not {case['passage']}"


def _meant(named: Case) -> list[str]:
    """The terms that a side of a pair means. Of a name's senses it is the one whose number the
    label has, or whose definition speaks of the same; a sense that no term has is not there."""
    called = fold(named["label"])
    found = [node for node, all_ in names()[named["game"]].items() if called in all_]
    sense = named.get("sense")
    return [one for one in found if not sense or _has_sense(known()[0][one], sense)]


def _has_sense(term: Node, sense: str) -> bool:
    text = term.text or ""
    if number := re.match(r"\d", sense):
        return re.search(rf"(?m)^{number[0]}\. ", text) is not None
    said = set(re.findall(r"[a-z]{3,}", text)) - {"the"}
    return not said or bool(said & set(re.findall(r"[a-z]{3,}", sense)))


def score_concepts(case: Case) -> Score:
    """Whether two terms are linked, or are one node. Which relation a link has is asked by
    `relations`."""
    a, b = _meant(case["a"]), _meant(case["b"])
    _, links = known()
    linked = any(x == y or (x, y) in links or (y, x) in links for x in a for y in b)
    what = f"{_side(case['a'])} {_side(case['b'])} {case['link']}"
    if case["link"] == "none":
        return Score(wrong=1, mistakes=[f"+ {what}"]) if linked else Score()
    if linked:
        return Score(right=1)
    absent = [_side(side) for side, found in ((case["a"], a), (case["b"], b)) if not found]
    return Score(missed=1, mistakes=[f"- {what}" + f" (not there: {absent})" * bool(absent)])


def relations(of: Callable[[Case], bool]) -> tuple[int, int]:
    """Of the linked pairs, how many are linked as they are labelled, and how many there are."""
    _, links = known()
    same = every = 0
    for case in cases("concepts"):
        if case["link"] == "none" or not of(case) or not score_concepts(case).right:
            continue
        a, b = _meant(case["a"]), _meant(case["b"])
        found = {
            "exact" if x == y else links.get((x, y)) or links.get((y, x)) for x in a for y in b
        }
        every += 1
        same += case["link"] in found
    return same, every


def _side(side: Case) -> str:
    return " ".join(side[part] for part in ("game", "label", "sense") if part in side)


@cache
def _outcomes(source: str, name: str) -> dict[str, list[Outcome]]:
    """The outcomes of a page, by the ids of the passages that state them."""
    page = next(page for page, _ in passages(source).values() if page.name == name)
    ids = PageContext.of(page, _NoWords()).passage_ids
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes(page.passages, page.lang, page.game):
        found.setdefault(ids[outcome.place], []).append(outcome)
    return found


def score_outcomes(case: Case) -> Score:
    """All outcomes of one passage, one found for one wanted."""
    page, passage = passage_of(case)
    if page is None:
        left = list(outcomes([passage]))
    else:
        left = list(_outcomes(case["source"], page.name).get(case["passage"], ()))
    return _compared(
        left, case["wanted"], same_outcome, f"{case['source']} {case['passage'] or ''}"
    )


def same_outcome(found: Outcome, wanted: Case) -> bool:
    """Whether an outcome is the wanted one.

    Its modality is the same; of its condition and the wanted one, and of the two results, one
    has the other in it, or they share a stretch of at least half of the shorter one (no
    less than four characters); one of the
    two subjects has the other in it; and both are exceptions or neither is. All of it folded.
    """
    return (
        found.modality == wanted["modality"]
        and _alike(found.condition, wanted["condition"])
        and _alike(found.result, wanted["result"])
        and (not wanted["subject"] or _within(found.subject, wanted["subject"]))
        and (found.exception_to is None) == (wanted["exception_to"] is None)
    )


def _within(one: str, other: str) -> bool:
    one, other = fold(one), fold(other)
    return bool(one and other) and (one in other or other in one)


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((fold(one), fold(other)), key=len)
    half = max((len(shorter) + 1) // 2, min(len(shorter), 4))
    starts = range(len(shorter) - half + 1)
    return half > 0 and any(shorter[n : n + half] in longer for n in starts)


def _compared(
    found: Iterable[Any], wanted: Iterable[Any], same: Callable[[Any, Any], bool], where: str
) -> Score:
    """The score of what was found: one found for one wanted, and the mistakes in that order."""
    left, score = list(found), Score()
    for one in wanted:
        match = next((other for other in left if same(other, one)), None)
        if match is None:
            score += Score(missed=1, mistakes=[f"- {one} {where}"])
        else:
            left.remove(match)
            score += Score(right=1)
    return score + Score(wrong=len(left), mistakes=[f"+ {one} {where}" for one in left])


def _matched(
    found: Iterable[tuple[str, int, int]],
    wanted: Iterable[tuple[str, int, int]],
    text: str,
    case: Case,
) -> Score:
    """Found and wanted are the same if they say the same of overlapping words."""

    def told(spans: Iterable[tuple[str, int, int]]) -> list[tuple[str, int, int, str]]:
        return [(*span, _around(text, *span[1:])) for span in spans]

    return _compared(
        told(found),
        told(wanted),
        lambda a, b: a[0] == b[0] and b[1] < a[2] and a[1] < b[2],
        f"{case['source']} {case.get('passage', '')}",
    )


def _around(text: str, start: int, end: int) -> str:
    return repr(f"{text[max(0, start - 15) : start]}[{text[start:end]}]{text[end : end + 15]}")


KINDS: dict[str, Callable[[Case], Score]] = {
    "citations": score_citations,
    "how cited": score_hows,
    "mentions": score_mentions,
    "rulings": score_rulings,
    "procedures": score_procedures,
    "terms": score_terms,
    "cards": score_cards,
    "concepts": score_concepts,
    "outcomes": score_outcomes,
    "translations": score_translations,
}


@cache
def measured(kind: str) -> tuple[Score, Score]:
    """The scores of a kind: on the cases that may be looked at, and on those held out."""
    seen, unseen = Score(), Score()
    for case in cases(kind):
        score = KINDS[kind](case)
        if held_out(case):
            unseen += score
        else:
            seen += score
    return seen, unseen


# What of the graph a kind is, for readers.
IN_GRAPH = {
    "citations": "`cites`: which numbers a text cites, and in which of its words",
    "how cited": "how it cites them (`details` of `cites`), of those that are found",
    "mentions": "`mentions`: where a text speaks of a term, inflected or not",
    "terms": "`term`: that there is one, and all its names",
    "cards": "`card`: its names, all that is printed on it, and where that stands",
    "rulings": "`ruling`: question, answer and date",
    "procedures": "`procedure` and `step`: the steps in order",
    "outcomes": "`outcome`: condition, result, modality, exception",
    "concepts": "`same_concept`: terms of two games that are one concept",
    "translations": "a term's name in the other language: stated, or proposed by `translates`",
}


def row(kind: str) -> str:
    """The row of a kind in docs/data.md, as it is measured now."""
    scores = measured(kind)
    figures = [f"{n:.3f}" for score in scores for n in (score.precision, score.recall)]
    labels = " + ".join(str(score.right + score.missed) for score in scores)
    return f"| {IN_GRAPH[kind]} | {' | '.join(figures)} | {labels} |\n"


def history_row() -> str:
    """The row of docs/data.md on rules that are followed through editions."""
    from tests.editions.test_rule_history import followed

    right, _ = followed()
    shares = [f"{right[kind][True] / right[kind].total():.3f}" for kind in ("all", "hard")]
    return f"| {' | '.join(shares)} | {right['all'].total()} ({right['hard'].total()} hard) |\n"


def keep() -> None:
    """Write what is measured into docs/data.md."""
    tables = iter(
        (
            "\n| what | precision | recall | held out: precision | recall | labels |\n"
            f"| --- | --- | --- | --- | --- | --- |\n{''.join(map(row, IN_GRAPH))}\n",
            "\n| right, of all | of the hard ones | cases |\n"
            f"| --- | --- | --- |\n{history_row()}\n",
        )
    )
    PAGE.write_text(
        _TABLE.sub(lambda m: m[1] + next(tables) + m[2], PAGE.read_text("utf-8")), "utf-8"
    )


def main(show: str) -> None:
    """Print the table."""
    print(f"{'':12} {'precision':>10} {'recall':>8}   held out: {'precision':>9} {'recall':>8}")
    for kind in KINDS:
        seen, unseen = measured(kind)
        print(
            f"{kind:12} {seen.precision:10.3f} {seen.recall:8.3f} {unseen.precision:20.3f} "
            f"{unseen.recall:8.3f}   ({seen.right + seen.missed} + "
            f"{unseen.right + unseen.missed} labels)"
        )
        if show == kind:
            print(*seen.mistakes, sep="\n")
            if kind == "concepts":
                print(
                    "relation as labelled:",
                    *relations(lambda case: not held_out(case)),
                    "held out:",
                    *relations(held_out),
                )
                print(*(f"{a} {relation} {b}" for (a, b), relation in known()[1].items()), sep="\n")


if __name__ == "__main__":
    if "--keep" in sys.argv:
        keep()
    else:
        main(sys.argv[sys.argv.index("--show") + 1] if "--show" in sys.argv else "")
