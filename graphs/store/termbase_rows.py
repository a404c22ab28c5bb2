"""Reads what a termbase says of many terms at once: their names, how passages write them, and which
sources give them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphs.store.file.connection import batches, rows_of
from graphs.store.file.row_checks import check_columns, of_file, record
from graphs.store.file.sql_views import PAGE_NAME
from graphs.store.reader import Store

# Mentions of one term, in the order of the file: bounds the time of the commonest. With 5,000, the
# page of a term with as many took half as long again.
_MOST_READ = 2_000
# Characters of a passage from which a sentence is taken. By hand: hardly any passage is longer, and
# their texts are read for every term that they name.
_LONGEST = 2_000
# Characters of a passage that is a good example: by hand, a Japanese sentence or two. Shorter ones
# are headings and rows, longer ones have to be read to see the name.
_BEST_LENGTH = 50
# Nodes that are called something, and not only have other names.
_CALLED = "SELECT node FROM label WHERE role IN ('preferred', 'listed')"


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name that pages of one source and edition give a node.

    node: the id of the node.
    lang, text, role: as in `graphs.model.Label`.
    source, edition: of the pages; each None if they have none.
    passage: the id of a passage that gives the name, a defining one if there is any; None if none
        does by itself.
    page, url: the label and URL of its page.
    defines: whether the passage is a title, a heading or an entry of a glossary that defines the
        node.
    count: how many passages give the name.
    """

    node: str
    lang: str
    text: str
    role: str
    source: str | None
    edition: str | None
    passage: str | None
    page: str | None
    url: str | None
    defines: bool
    count: int


@dataclass(frozen=True, slots=True)
class WrittenName:
    """How passages in one language write a term.

    node: the id of the term.
    lang: the language of the passages.
    words: the words, as they stand there.
    count: how many times.
    passage: the id of a short passage that has them, in an edition that is not outdated if there is
        one.
    text: the text of that passage; None if it is long.
    start: where in the text the words begin.
    """

    node: str
    lang: str | None
    words: str
    count: int
    passage: str
    text: str | None
    start: int


@dataclass(frozen=True, slots=True)
class PassageOfGame:
    """The text of a passage, the game that it belongs to and the edition of its page."""

    id: str
    game: str | None
    edition: str | None
    text: str


def english_names(store: Store, nodes: Iterable[str]) -> Iterator[tuple[str | None, str]]:
    """Yield (game, name) for the English names of some nodes, given by ids, also those that are
    only proposed, but none of lists; each pair once in a batch of nodes, in no order."""
    query = (
        "SELECT DISTINCT n.game, l.text FROM node n JOIN label l ON l.node = n.key "
        "WHERE l.lang = 'en' AND l.shown AND l.role NOT IN ('reading', 'listed') "
        "AND n.id IN ({marks})"
    )
    with of_file(store.path):
        yield from check_columns(rows_of(store.db, query, nodes), (str | None, str), "names")


def count_name_languages(store: Store, nodes: Iterable[str]) -> dict[str, int]:
    """Return {language: how many of some nodes, given by ids, have a name in it}, in no order;
    readings don't count, proposed names do."""
    found: dict[str, int] = {}
    query = (
        "SELECT l.lang, count(DISTINCT l.node) FROM node n JOIN label l ON l.node = n.key "
        "WHERE l.shown AND l.role <> 'reading' AND n.id IN ({marks}) GROUP BY 1"
    )
    with of_file(store.path):
        for lang, count in check_columns(rows_of(store.db, query, nodes), (str, int), "names"):
            found[lang] = found.get(lang, 0) + count
    return found


def term_ids(
    store: Store, kinds: Sequence[str], game: str | None, source: str | None, lang: str | None
) -> list[str]:
    """Return the ids of the nodes of some kinds that belong to a game, are given by a page of a
    source and have a name in a language; sorted. An argument that is None selects all.

    Nodes that nothing gives a preferred name are left out, as `count_uncalled` counts them."""
    rows = store.db.execute(
        f"SELECT n.id FROM node n WHERE n.kind IN ({','.join('?' * len(kinds))}) "
        "AND (? IS NULL OR n.game = ?) "
        "AND (? IS NULL OR n.key IN (SELECT node FROM claim WHERE source = ?)) "
        "AND (? IS NULL OR n.key IN (SELECT node FROM label WHERE lang = ? AND shown "
        "AND role <> 'proposed')) "
        f"AND n.key IN ({_CALLED}) ORDER BY +n.id",
        [*kinds, game, game, source, source, lang, lang],
    )
    return [row[0] for row in rows]


def remarked_terms(store: Store) -> list[tuple[str, str]]:
    """Return (id, id of the term that it was merged into, else its own) of the terms whose id ends
    with a remark in brackets, sorted: `Bury (Obsolete)`."""
    return store.db.execute(
        "SELECT n.id, coalesce(o.id, n.id) FROM node n LEFT JOIN merged m ON m.old = n.key "
        "LEFT JOIN node o ON o.key = m.new WHERE (n.kind = 'term' OR m.new NOT NULL) "
        "AND (n.id LIKE '%/term/%)' OR n.id LIKE '%/term/%）') ORDER BY +n.id"
    ).fetchall()


def count_uncalled(store: Store, game: str | None) -> int:
    """Return how many terms and cards of a game, or of all, have no preferred name: those of lists
    that don't say what their names are of."""
    row = store.db.execute(
        "SELECT count(*) FROM node n WHERE n.kind IN ('term', 'card') "
        f"AND (?1 IS NULL OR n.game = ?1) AND n.key NOT IN ({_CALLED})",
        (game,),
    ).fetchone()
    return int(row[0])


def name_rows(store: Store, nodes: Iterable[str]) -> Iterator[NameRow]:
    """Yield the names of some nodes, given by ids: a row for each name, role, source and edition,
    sorted by node, language and text; of very many nodes, each batch by itself."""
    query = (
        # Of the rows of a group SQLite takes the columns without a function from that with the
        # least value of min().
        "SELECT n.id, l.lang, l.text, l.role, g.source, g.edition, p.id, "
        f"{PAGE_NAME.format('g')}, g.url, "
        "d.passage NOT NULL, count(DISTINCT coalesce(l.passage, l.page)), "
        # A page comes before its copy in another wiki of the site: `rush/引く`.
        "min((d.passage IS NULL) || printf('%03d', length(g.id) - "
        "length(replace(g.id, '/', ''))) || coalesce(p.id, g.id)) "
        "FROM label l JOIN node n ON n.key = l.node JOIN node g ON g.key = l.page "
        "LEFT JOIN node p ON p.key = l.passage "
        "LEFT JOIN edge d ON d.target = l.node AND d.kind = 'defines' AND d.passage = l.passage "
        "AND coalesce(d.details, '') NOT LIKE '%\"names_only\"%' WHERE l.node IN ({marks}) "
        "GROUP BY l.node, l.lang, l.text, l.role, g.source, g.edition "
        "ORDER BY n.id, l.lang, l.text, l.role, g.source, g.edition"
    )
    with of_file(store.path):
        for *fields, defines, count, _ in rows_of(store.db, query, store.keys(nodes)):
            yield record(NameRow, (*fields, bool(defines), count))


def names_in_rulebooks(
    store: Store, nodes: Iterable[str], source: str
) -> Iterator[tuple[str, str, str, str | None, str, str | None, str | None]]:
    """Yield (node, lang, words, edition, passage, page, url) for the words by which rulebooks
    mention some nodes: a row for each edition and wording, with its first passage. Of each node at
    most 2,000 mentions are read.

    nodes: ids. source: that of the pages of rulebooks. page, url: the label and URL of the page.
    """
    columns = (str, str, str, str | None, str, str | None, str | None)
    query = (
        'SELECT t.id, p.lang, substr(p.text, e.start + 1, e."end" - e.start) AS words, g.edition, '
        "p.id, g.label, g.url, min(p.key) FROM node t CROSS JOIN edge e ON e.rowid IN ("
        "SELECT x.rowid FROM edge x WHERE x.target = t.key AND x.kind = 'mentions' "
        f"LIMIT {_MOST_READ}) JOIN node p ON p.key = e.passage JOIN node g ON g.key = p.page "
        "WHERE t.key IN ({marks}) AND g.source = ? AND p.lang NOT NULL "
        "GROUP BY t.key, p.lang, words, g.key ORDER BY t.id, p.lang, words, g.id"
    )
    rows = rows_of(store.db, query, store.keys(nodes), [source])
    with of_file(store.path):
        yield from check_columns((row[:-1] for row in rows), columns, "mentions")


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """A reading that a page gives a name of a term or card.

    name: the name, folded.
    reading: in kana, as it stands on the page.
    node, kind, game: of the term or card.
    source: of the page.
    of_label: whether the name is what the node is called, and this its reading; if not, the two
        stand in one passage.
    """

    name: str
    reading: str
    node: str
    kind: str
    game: str | None
    source: str | None
    of_label: bool


def stated_readings(store: Store, names: Iterable[str]) -> Iterator[ReadingRow]:
    """Yield the readings that pages give some Japanese names of terms and cards, each once for each
    node and source; sorted by name, node, reading and source.

    names: folded.
    """
    query = (
        # A term may have very many labels: they are read once, for its few readings.
        "WITH named AS MATERIALIZED (SELECT DISTINCT l.folded, l.node FROM label l "
        "WHERE l.folded IN ({marks}) AND l.shown AND l.lang = 'ja' "
        "AND l.role NOT IN ('reading', 'proposed')), "
        "given AS MATERIALIZED (SELECT DISTINCT l.node, l.text, l.page, l.passage FROM label l "
        "WHERE l.node IN (SELECT node FROM named) AND l.role = 'reading'), "
        "found AS (SELECT named.folded, given.text, n.id, n.kind, n.game, g.source, "
        "given.text = n.reading AND EXISTS ("
        "SELECT 1 FROM label l WHERE l.folded = named.folded "
        "AND l.shown AND l.node = n.key AND l.text = n.label) AS of_label, "
        "EXISTS (SELECT 1 FROM label l WHERE l.node = n.key AND l.passage = given.passage "
        "AND l.folded = named.folded AND l.role <> 'reading') AS beside "
        "FROM named JOIN given ON given.node = named.node JOIN node n ON n.key = named.node "
        "JOIN node g ON g.key = given.page WHERE n.kind IN ('term', 'card')) "
        "SELECT folded, text, id, kind, game, source, max(of_label) FROM found "
        "WHERE of_label OR beside GROUP BY folded, text, id, source ORDER BY 1, 3, 2, 6"
    )
    with of_file(store.path):
        for *fields, of_label in rows_of(store.db, query, names):
            yield record(ReadingRow, (*fields, bool(of_label)))


def written_names(
    store: Store, nodes: Iterable[str], outdated: Iterable[str], ends: Iterable[str]
) -> Iterator[WrittenName]:
    """Yield how passages write some terms, given by ids: a row for each language and wording, of
    each term the most frequent first. Of each term at most 2,000 mentions are read; edges of a
    passage and of what it states are one.

    outdated: editions from which no passage is taken if there is another.
    ends: the signs one of which ends a passage that is preferred, such as `。`.
    """
    old, signs = list(outdated), list(ends)
    of_old = f"coalesce(g.edition IN ({','.join('?' * len(old))}), 0)"
    unended = f"substr(p.text, -1) NOT IN ({','.join('?' * len(signs))})"
    for batch in batches(nodes):
        keys = store.keys(batch)
        rows = store.db.execute(
            "SELECT n.id, m.lang, m.words, count(*), m.id, "
            f"iif(m.length <= {_LONGEST}, (SELECT text FROM node WHERE key = m.passage), NULL), "
            "m.start, min(m.rank) FROM ("
            "SELECT DISTINCT t.key AS term, p.lang, e.passage, e.start, p.id, "
            'substr(p.text, e.start + 1, e."end" - e.start) AS words, length(p.text) AS length, '
            f"printf('%d%06d%s', 2 * {unended} + {of_old}, "
            f"abs(min(length(p.text), 99999) - {_BEST_LENGTH}), p.id) AS rank "
            "FROM node t CROSS JOIN edge e ON e.rowid IN ("
            "SELECT x.rowid FROM edge x WHERE x.target = t.key AND x.kind = 'mentions' "
            f"LIMIT {_MOST_READ}) JOIN node p ON p.key = e.passage JOIN node g ON g.key = p.page "
            f"WHERE t.key IN ({','.join('?' * len(keys))})) m "
            "JOIN node n ON n.key = m.term GROUP BY m.term, m.lang, m.words "
            "ORDER BY n.id, 4 DESC, m.words, m.lang",
            [*signs, *old, *keys],
        )
        with of_file(store.path):
            for *fields, _ in rows:
                yield record(WrittenName, fields)


def passages_in(store: Store, lang: str, without: str) -> Iterator[PassageOfGame]:
    """Yield the passages in a language that have _LONGEST characters or fewer, in the order of the
    file.

    without: a source whose passages are left out.
    """
    rows = store.db.execute(
        "SELECT p.id, p.game, g.edition, p.text FROM node p JOIN node g ON g.key = p.page "
        f"WHERE p.kind = 'passage' AND p.lang = ? AND length(p.text) <= {_LONGEST} "
        "AND p.source <> ? ORDER BY p.key",
        (lang, without),
    )
    with of_file(store.path):
        for row in rows:
            yield record(PassageOfGame, row)


def sources_of(store: Store, nodes: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return {id of a node: the sources of the pages that give it, sorted}; nodes without any, and
    unknown ids, are left out."""
    found: dict[str, list[str]] = defaultdict(list)
    query = (
        "SELECT DISTINCT n.id, c.source FROM node n JOIN claim c ON c.node = n.key "
        "WHERE n.id IN ({marks}) AND c.source NOT NULL ORDER BY 1, 2"
    )
    for node, source in rows_of(store.db, query, list(nodes)):
        found[node].append(source)
    return {node: tuple(sources) for node, sources in found.items()}


def count_terms(store: Store) -> dict[str, int]:
    """Return {game: number of its terms}, sorted by game; a game that is not known is empty."""
    return dict(
        store.db.execute(
            "SELECT coalesce(game, ''), count(*) FROM node WHERE kind = 'term' "
            "GROUP BY 1 ORDER BY 1"
        ).fetchall()
    )
