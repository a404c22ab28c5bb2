"""The views of the file for people who ask it in SQL: readable ids and names, no keys.

sansho itself does not read them. What a column does not apply to is NULL. An id is that of
`graphs.model.Node`; `docs/sql.md` says what can be asked.

rules: a row for each rule of each edition and language.
    id: such as `mtg/cr/20231117/ja/121.4`
    rule: the id of the rule through all editions, such as `mtg/rule/121.4@20260116/en`
    game, edition, lang, number: as in the id
    heading: its heading, such as `State-Based Actions`
    text: its words
    part_of: the id of the rule, or of the edition, that it is part of
    source: where the page comes from that gives it: `rulebook`, or a wiki
    url: the address of that page; NULL where a file was read that has none
    notice: what readers must be told of it

rule_versions: a row for each rule, and each section of a document, of each edition and language.
    rule: the id of the rule through all editions: that of its newest version
    game, edition, lang, number: of this version
    node: its id, as in `rules`
    change: what happened since the version before it in its language: `same`, `changed`, `moved`,
        `renumbered` (only the numbers that it cites), `typographic`, `examples`, or several of
        these; `added`; `split` from another rule; or `first` if no earlier edition can tell
    before, before_number, before_edition: that version
    split_from: the id of the rule, in the edition before, that a split one was part of
    gone, gone_in: of the last version in its language whether the rule was `removed` or `merged`
        since, and in which edition
    merged_into: the id of the rule there that has its words
    grounds, sure: by what `before` was found to be the same rule, and how sure that is, from 0 to 1

editions: a row for each edition of a rulebook or document, in each language.
    game, edition, lang: of it
    position: its place among the editions of the game, or of the document, the oldest is 0
    rules, total: how many of its rules are loaded, and how many it has; NULL if nobody can say
    whole: 1 if all of it is loaded, as far as that shows

rule_citations: a row for each two rules of which one cites the other, in whatever edition.
    source_rule, target_rule: the ids of both through all editions, as in `rules`
    game: of both
    times: at how many places, in all editions and languages
    first_edition, last_edition: the oldest and the newest edition in which it does

citations: a row for each place where a text cites a rule.
    citing: the id of the rule that cites, or of the passage of a wiki or a glossary
    citing_number: its number, if it is a rule
    game, edition, lang: of what cites
    cited: the id of the rule that the citation leads to; NULL if that is not loaded
    cited_number: the number that is cited, loaded or not
    cited_edition, cited_lang: of the rule that the citation leads to
    wanted: the id of the rule that the words aim at (in the edition `latest`, if they name none);
        `cited` is the one of an edition that is loaded, or of the other language
    reason: why nothing is there, if `cited` is NULL
    how: `see`, `exception`, `as defined in`…
    words: the words that cite
    passage, span_start, span_end: where they stand: characters of the passage's text, end excluded
    page, source, url: of the passage

terms: a row for each term.
    id, game: such as `mtg/term/引く`, `mtg`
    name, lang: the name that it is listed by, and the language of the page that gives it
    reading: in kana
    english: its English name, by the best of its roles; no proposed one
    text: its definition
    source, url, notice: of the page that gives it

names: a row for each name of each term, card, rule, page and edition.
    id, kind, game: of what has the name; a kind is `term`, `card`, `rule`…
    name, lang: as it is written
    role: `preferred` (at most one in each language), `alias`, `abbreviation`, `redirect`,
        `reading`; `listed`, if only a list of names calls a term so; or `proposed`, if no page says
        so but aligned rules in two languages suggest it
    passage: the id of a passage that gives the name; NULL if a page does as a whole
    page, source, edition, url: of the page that gives it

mentions: a row for each place where a text has the name of a term or a card.
    term, kind, name: the id of the term or card, its kind and its name; id and kind are NULL if no
        page on it is loaded, as of a card that a ruling names
    wanted: the id that the words aim at; mostly the same as `term`
    reason: why nothing is there, if `term` is NULL
    mentioning, mentioning_kind: the id and kind of what mentions it: a rule, a passage, or an
        outcome or ruling, which repeats what its passage says
    mentioning_number: the number, if that is a rule
    game, edition, lang: of the passage
    words: the name as the text has it
    passage, span_start, span_end: where it stands: characters of the passage's text, end excluded
    page, source, url: of the passage

passages: a row for each passage: a paragraph, a list item, a heading, a row of a table.
    id: such as `mtgwiki/引く¶3`
    page, page_title: the id of its page, and its title
    section, heading: the id of the section that it stands in, or of the page, and its heading
    position: its place on the page
    rule, number: the id and number of the rule whose text it gives
    game, edition, lang: of that rule, or else of the page
    text: its words
    source, url, notice: of the page

outcomes: a row for each "if A, then B" that a passage states.
    id, game, lang: of the outcome
    subject, condition, result, text: who or what, when, what then, and all of it
    modality: `must`, `may`, `cannot`, or `is`
    exception_to: the statement that it is an exception to
    card: the name of the card for which alone it holds
    passage: the id of the passage that states it
    rule, number, edition: of the rule that the passage gives
    source, url: of the page

full_text: the full-text index, with its passages: `WHERE words MATCH '…' ORDER BY rank`.
    words: the normal forms of the passage's words (引く for 引いた), separated by spaces; what
        follows MATCH is in the syntax of SQLite's FTS5 and must be in normal forms, too
    rank: the less, the better the passage fits
    passage, rule, number, game, edition, lang, text, source, url: as in `passages`
"""

from __future__ import annotations

# For DuckDB, which reads views as SQL of its own, there is nothing here that only SQLite knows but
# `json_extract` (there its result is JSON) and the full-text index. One view never stands on
# another, and only correlated subqueries stand for aggregates: so SQLite puts the conditions of a
# query into the view, and finds its rows by an index.

# The place of a role in this text is its rank (as in `Store`): no role is in another one's name.
_RANK = "instr('preferred alias abbreviation redirect listed reading proposed', {}.role)"
_SPAN = 'substr(p.text, e.start + 1, e."end" - e.start)'

# The id of a rule through all editions, of the node of its newest version.
RULE_ID = "{0}.game || '/rule/' || {0}.number || '@' || {0}.edition || '/' || {0}.lang"
# The name of a page: its title, or if that is only the code of a card (`card/AKH204`) its other
# name, which is the card's.
PAGE_NAME = (
    "coalesce(CASE WHEN {0}.label LIKE 'card/%' THEN (SELECT min(o.text) FROM label o "
    "WHERE o.node = {0}.key AND o.role = 'alias') END, {0}.label)"
)

VIEWS = f"""
CREATE VIEW rules AS
  SELECT n.id, (SELECT {RULE_ID.format("r")} FROM rule_version v JOIN node r ON r.key = v.rule
      WHERE v.node = n.key) AS rule, n.game, n.edition, n.lang, n.number,
    n.label AS heading, n.text,
    (SELECT min(a.id) FROM edge e JOIN node a ON a.key = e.target
      WHERE e.source = n.key AND e.kind = 'part_of') AS part_of,
    n.source, n.url, n.notice
  FROM node n WHERE n.kind = 'rule';
CREATE VIEW rule_versions AS
  SELECT {RULE_ID.format("r")} AS rule, n.game, n.edition, n.lang, n.number, n.id AS node,
    v.change, b.id AS before, b.number AS before_number, b.edition AS before_edition,
    f.id AS split_from, v.gone, v.gone_in, i.id AS merged_into, v.grounds, v.sure
  FROM rule_version v JOIN node n ON n.key = v.node JOIN node r ON r.key = v.rule
    LEFT JOIN node b ON b.key = v.before LEFT JOIN node i ON i.key = v.merged_into
    LEFT JOIN node f ON f.key = v.split_from;
CREATE VIEW editions AS
  SELECT game, edition, lang, position, rules, total, whole FROM book;
CREATE VIEW rule_citations AS
  SELECT {RULE_ID.format("r")} AS source_rule, {RULE_ID.format("t")} AS target_rule, a.game,
    count(*) AS times,
    substr(min(printf('%06d', k.position) || a.edition), 7) AS first_edition,
    substr(max(printf('%06d', k.position) || a.edition), 7) AS last_edition
  FROM edge e JOIN node a ON a.key = e.source JOIN rule_version v ON v.node = e.source
    JOIN node r ON r.key = v.rule JOIN rule_version w ON w.node = e.target
    JOIN node t ON t.key = w.rule
    JOIN book k ON k.game = a.game AND k.edition = a.edition AND k.lang = a.lang
  WHERE e.kind = 'cites' GROUP BY v.rule, w.rule;
CREATE VIEW citations AS
  SELECT a.id AS citing, a.number AS citing_number, a.game,
    coalesce(a.edition, g.edition) AS edition, a.lang,
    b.id AS cited, e.label AS cited_number, b.edition AS cited_edition, b.lang AS cited_lang,
    w.id AS wanted, CASE WHEN e.target IS NULL THEN e.reason END AS reason,
    json_extract(e.details, '$.how') AS how, {_SPAN} AS words,
    p.id AS passage, e.start AS span_start, e."end" AS span_end, g.id AS page, p.source, p.url
  FROM edge e JOIN node a ON a.key = e.source JOIN node w ON w.key = e.wanted
    LEFT JOIN node b ON b.key = e.target
    JOIN node p ON p.key = e.passage JOIN node g ON g.key = p.page
  WHERE e.kind = 'cites';
CREATE VIEW terms AS
  SELECT n.id, n.game, n.label AS name, n.lang, n.reading,
    (SELECT l.text FROM label l WHERE l.node = n.key AND l.shown = 1 AND l.lang = 'en'
      AND l.role NOT IN ('reading', 'proposed')
      ORDER BY {_RANK.format("l")}, l.text LIMIT 1) AS english,
    n.text, n.source, n.url, n.notice
  FROM node n WHERE n.kind = 'term';
CREATE VIEW names AS
  SELECT n.id, n.kind, n.game, l.text AS name, l.lang,
    CASE WHEN l.role = 'preferred' AND EXISTS (SELECT 1 FROM label o WHERE o.node = l.node
      AND o.shown = 1 AND o.lang = l.lang AND o.role = 'preferred' AND o.text < l.text)
      THEN 'alias' ELSE l.role END AS role,
    p.id AS passage, g.id AS page, g.source, g.edition, coalesce(p.url, g.url) AS url
  FROM label l JOIN node n ON n.key = l.node JOIN node g ON g.key = l.page
    LEFT JOIN node p ON p.key = l.passage
  WHERE l.shown AND n.kind IS NOT NULL AND NOT EXISTS (SELECT 1 FROM label o
    WHERE o.node = l.node AND o.shown = 1 AND o.lang = l.lang AND o.text = l.text
    AND (o.role = 'reading') = (l.role = 'reading')
    AND ({_RANK.format("o")} < {_RANK.format("l")} OR o.role = l.role AND o.rowid < l.rowid));
CREATE VIEW mentions AS
  SELECT t.id AS term, t.kind, coalesce(t.label, e.label) AS name, w.id AS wanted,
    CASE WHEN e.target IS NULL THEN e.reason END AS reason,
    a.id AS mentioning, a.kind AS mentioning_kind, a.number AS mentioning_number,
    coalesce(a.game, p.game) AS game, coalesce(a.edition, g.edition) AS edition, p.lang,
    {_SPAN} AS words,
    p.id AS passage, e.start AS span_start, e."end" AS span_end, g.id AS page, p.source, p.url
  FROM edge e JOIN node a ON a.key = e.source JOIN node w ON w.key = e.wanted
    LEFT JOIN node t ON t.key = e.target
    JOIN node p ON p.key = e.passage JOIN node g ON g.key = p.page
  WHERE e.kind = 'mentions';
CREATE VIEW passages AS
  SELECT p.id, g.id AS page, g.label AS page_title, s.id AS section, s.label AS heading,
    p.position, r.id AS rule, r.number, coalesce(r.game, p.game) AS game,
    coalesce(r.edition, p.edition, g.edition) AS edition, coalesce(r.lang, p.lang) AS lang,
    p.text, p.source, p.url, p.notice
  FROM node p JOIN node g ON g.key = p.page LEFT JOIN node s ON s.key = p.section
    LEFT JOIN node r ON r.key = p.gives_rule
  WHERE p.kind = 'passage';
CREATE VIEW outcomes AS
  SELECT n.id, n.game, n.lang, n.label AS subject,
    json_extract(n.details, '$.condition') AS condition,
    json_extract(n.details, '$.result') AS result,
    json_extract(n.details, '$.modality') AS modality,
    json_extract(n.details, '$.exception_to') AS exception_to,
    json_extract(n.details, '$.card') AS card, n.text,
    p.id AS passage, r.id AS rule, r.number, coalesce(r.edition, g.edition) AS edition,
    n.source, n.url
  FROM node n JOIN node p ON p.key = n.heading JOIN node g ON g.key = n.page
    LEFT JOIN node r ON r.key = p.gives_rule
  WHERE n.kind = 'outcome' AND n.kind IN ('step', 'procedure', 'outcome', 'ruling');
CREATE VIEW full_text AS
  SELECT f.words, f.rank, p.id AS passage, r.id AS rule, r.number,
    coalesce(r.game, p.game) AS game, coalesce(r.edition, p.edition, g.edition) AS edition,
    coalesce(r.lang, p.lang) AS lang, p.text, p.source, p.url
  FROM search f JOIN node p ON p.key = f.rowid JOIN node g ON g.key = p.page
    LEFT JOIN node r ON r.key = p.gives_rule;
"""
