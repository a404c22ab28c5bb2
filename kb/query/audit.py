"""Audits a build: characters kept, left out and lost; dangling edges; read warnings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from graphs.model import Edge, EdgeKind, Node
from graphs.store.reader import Store
from graphs.store.validation import Damage, find_damage
from kb.building.build_arguments import near_games, stored_warnings
from kb.building.source_warnings import same_names, unknown_games
from kb.knowledge.links import WIKI_PART
from kb.language.nearest_value import known_value
from kb.query.lookup.arguments import listed
from kb.result import UNREPORTED, Result, reported
from kb.rules.loaded_editions import LoadedEdition, loaded_editions
from kb.shared_wording import counted
from scraper.page import ReadWarning, text_size

# The kinds of edges, those first whose missing target says most: a citation of a rule that is not
# there is a gap in a rulebook, a link is mostly a page that nobody fetched.
_RANKED_KINDS: tuple[EdgeKind, ...] = (
    "cites", "quotes", "part_of", "succeeds", "translates", "defines", "redirects_to",
    "same_concept", "mentions", "links_to",
)  # fmt: skip
_KINDS_WITH_NODES = frozenset({"cites"})  # that are listed where no kinds are asked for


@dataclass(frozen=True, slots=True)
class MissingTarget:
    """What some dangling edges of one kind aim at, for the same reason without a target.

    kind: the kind of the edges; target: the name of what they aim at, as the pages put it.
    reason: why it is not there, with `…` for its name: see `reason_in_general`.
    edges: the number of edges.
    """

    kind: EdgeKind
    target: str
    reason: str
    edges: int


@dataclass(frozen=True, slots=True)
class BookHealth:
    """How well a rulebook, or a document beside one, seems to be read.

    page: its page; title: as it is printed; game, edition, lang: of its rules.
    rules: the number of its rules or sections.
    dangling: how many of its citations lead nowhere.
    warnings: what may be missing or misread, with the lines of its file; and what was doubtful
        about its game, edition or language.
    """

    page: str
    title: str
    game: str
    edition: str
    lang: str
    rules: int
    dangling: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Audit(Result):
    """What became of every character of the sources, and what could not be resolved or read.

    Characters are counted without white space: `chars` is the sum of `kept`, all of `left_out`
    and `lost`.

    chars: characters in the sources.
    kept: characters in passages.
    left_out: characters left out, by reason.
    dangling: the edges whose target is not loaded, or those of the kinds that were asked for:
        citations first, links last.
    warnings: what could not be read.
    missing: what dangling edges of all kinds aim at: citations first, links last, and of one kind
        what most edges aim at first, pages of a wiki itself last.
    nodes: the nodes that dangling edges lead from, and the passages and pages that they rest on, by
        id: of the kinds that were asked for, or else of citations.
    parts: the editions of rulebooks that are loaded only in part, in a language.
    damage: what is wrong with the file itself; None if that was not asked.
    books: how well each rulebook seems to be read.
    """

    chars: int = field(metadata=UNREPORTED)
    kept: int = field(metadata=UNREPORTED)
    left_out: Mapping[str, int] = field(metadata=UNREPORTED)
    dangling: tuple[Edge, ...]
    warnings: tuple[ReadWarning, ...]
    missing: tuple[MissingTarget, ...] = ()
    nodes: Mapping[str, Node] = field(default_factory=dict)
    parts: tuple[LoadedEdition, ...] = ()
    damage: tuple[Damage, ...] | None = None
    books: tuple[BookHealth, ...] = ()

    @property
    def lost(self) -> int:
        """The number of characters that are neither kept nor left out for a reason; 0 if all is
        well."""
        return self.chars - self.kept - sum(self.left_out.values())

    @reported
    def text(self) -> Mapping[str, Any]:
        """The sum: {"chars", "kept", "left_out": {reason: characters}, "lost"}."""
        return {
            "chars": self.chars, "kept": self.kept, "left_out": self.left_out, "lost": self.lost,
        }  # fmt: skip

    @reported
    def reasons(self) -> dict[str, dict[str, int]]:
        """How many edges of each kind dangle for which reason: {kind: {reason: edges}}; the kinds
        as in `missing`, their reasons with the most frequent first, pages of a wiki itself last."""
        by_kind: dict[str, Counter[str]] = defaultdict(Counter)
        for target in self.missing:
            by_kind[target.kind][target.reason] += target.edges
        return {
            kind: dict(
                sorted(counts.items(), key=lambda item: (item[0] == WIKI_PART, -item[1], item[0]))
            )
            for kind, counts in by_kind.items()
        }

    def __repr__(self) -> str:
        """Return the sums in one line: characters, those kept and lost, dangling edges of all
        kinds, warnings."""
        edges = sum(target.edges for target in self.missing)
        return (
            f"<Audit: {counted(self.chars, 'character')}, {self.kept:,} kept, {self.lost:,} lost; "
            f"{counted(edges, 'dangling edge')}; {counted(len(self.warnings), 'warning')}>"
        )


def audit(store: Store, dangling: str | Iterable[str] = (), deep: bool = False) -> Audit:
    """Return the audit of a knowledge base.

    Kept characters are counted in the stored passages themselves, not reported by the parser.
    The warnings begin with those on wikis of no known game, on games whose name is nearly that of a
    known one, and on files of one name.

    dangling: the kinds of the dangling edges that are returned, as a list or with commas between
        them; all if there are none.
    deep: whether the file itself is checked, as `find_damage` does it.

    Raises QuestionError for an unknown kind.
    """
    given = dangling.split(",") if isinstance(dangling, str) and dangling else dangling
    kinds = [
        known_value("kind of edge", kind.strip(), get_args(EdgeKind))
        for kind in listed("dangling", given)
    ]
    every = sorted(store.dangling(), key=lambda edge: _RANKED_KINDS.index(edge.kind))
    chosen = [edge for edge in every if not kinds or edge.kind in kinds]
    provenance = store.provenance
    return Audit(
        provenance.chars(),
        sum(map(text_size, store.texts("passage"))),
        provenance.left_out(),
        tuple(chosen),
        (
            *unknown_games(store),
            *near_games(store),
            *same_names(store),
            *stored_warnings(provenance),
        ),
        tuple(_missing_targets(every)),
        _nodes_of(store, (edge for edge in chosen if edge.kind in (kinds or _KINDS_WITH_NODES))),
        tuple(edition for edition in loaded_editions(store) if not edition.whole),
        find_damage(store.path) if deep else None,
        tuple(_books(store, every)),
    )


def _books(store: Store, dangling: Iterable[Edge]) -> Iterator[BookHealth]:
    """Yield how well each rulebook or document seems to be read, sorted by the ids of their pages;
    nothing if there are none. An edition without date is `undated`.

    dangling: all dangling edges; only citations count.
    """
    numbers = (*store.rule_numbers("rule"), *store.rule_numbers("document"))
    rules = Counter((game, edition, lang) for game, edition, lang, _ in numbers)
    lost = Counter(edge.evidence.page for edge in dangling if edge.kind == "cites")
    warnings = list(stored_warnings(store.provenance))
    pages = store.table(
        "SELECT id, coalesce(label, ''), coalesce(game, ''), coalesce(edition, 'undated'), "
        "coalesce(lang, '') FROM node WHERE kind = 'page' AND source = 'rulebook' ORDER BY id",
        *[str] * 5,
    )
    for page, title, game, edition, lang in pages:
        places = {capture.place for _, capture in store.provenance.captures(page) if capture.chosen}
        own = (w.what for w in warnings if w.where.rpartition(": ")[0] in places)
        of_book = game, edition, lang
        yield BookHealth(page, title, *of_book, rules[of_book], lost[page], tuple(own))


def reason_in_general(edge: Edge) -> str:
    """Return why the target of an edge is not there, with `…` for its name, so that what is missing
    for the same reason can be counted together; the reason as it is if it does not have the name,
    and "" if the edge has none.

    >>> from graphs.model import Evidence
    >>> words = Evidence("mtgwiki/引く", "mtgwiki/引く¶1", 0, 2, "手札")
    >>> why = "page 手札 is not in this knowledge base"
    >>> reason_in_general(Edge("links_to", "mtgwiki/引く¶1", None, "手札#詳細", words, why))
    'page … is not in this knowledge base'
    """
    label = edge.target_label
    reason = edge.reason or ""
    for name in (label, label.partition("#")[0]):
        before, found, after = reason.partition(f" {name}") if name else (reason, "", "")
        if found and (not after or not after[0].isalnum()):
            return f"{before} …{after}"
    return reason


def _missing_targets(edges: Iterable[Edge]) -> list[MissingTarget]:
    """Return what edges aim at, with their number, each kind, target and reason once; sorted as
    `Audit.missing` says, then by target and reason."""
    numbers = Counter((edge.kind, edge.target_label, reason_in_general(edge)) for edge in edges)
    targets = [MissingTarget(*what, number) for what, number in numbers.items()]
    return sorted(
        targets,
        key=lambda target: (
            _RANKED_KINDS.index(target.kind),
            target.reason == WIKI_PART,
            -target.edges,
            target.target,
            target.reason,
        ),
    )


def _nodes_of(store: Store, edges: Iterable[Edge]) -> dict[str, Node]:
    """Return {id: node} of what edges lead from, and of the passages and pages that they rest on,
    sorted by id; what is not loaded is left out."""
    ids: set[str] = set()
    for edge in edges:
        ids |= {edge.source, edge.evidence.passage, edge.evidence.page}
    return dict(sorted(store.get(sorted(ids)).items()))
