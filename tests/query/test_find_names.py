"""Names are found although they are misspelt, in kana or in romaji; and the values that exist."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import kb
from benchmarks.find_names import measure
from graphs.store.reader import Store
from kb.language import name_keys
from kb.query.lookup.common_filters import Scope
from kb.query.lookup.find_by_reference import _is_long as is_long
from kb.query.lookup.find_by_reference import find_nodes, near_names
from kb.query.lookup.find_names import similar_names
from kb.reason import asking
from tests.commands import run
from tests.rulebooks import build_books, described, rulebook

NAMES = """ja,en,reading
霧の飛行船,Mist Airship,
沈黙の番人,Jötun Warden,
銀河騎士,Silver-Moon Rider's Oath,ぎんがきし
クロス・ドローン,Cross Drone,
クロスドール,Cross Doll,
続く嵐,Lasting Storm,
ジャッカル,Æther Jackal,
橋,Bridge,
端,Edge,
波の〜歌,Song of Waves,
"""


IN_ROMAJI = "reading in romaji, made by a dictionary, not stated by a page"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("names") / "sample.db"
    kb.build(kb=file)
    return file


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("listed")
    (folder / "list.csv").write_text(NAMES, "utf-8")
    kb.build([folder], folder / "x.db", game="mtg", names="cards", workers=1)
    with Store(folder / "x.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("霧の飛行般", "霧の飛行船"),  # replaced
        ("霧の行飛船", "霧の飛行船"),  # swapped
        ("霧飛行船", "霧の飛行船"),  # left out
        ("沈黙のの番人", "沈黙の番人"),  # doubled
        ("Mist Airshp", "Mist Airship"),
        ("Misst Airship", "Mist Airship"),
        ("Lasting Strom", "Lasting Storm"),
        ("jotun warden", "Jötun Warden"),
        ("aether jackal", "Æther Jackal"),
        ("silver moon riders oath", "Silver-Moon Rider's Oath"),
        ("きりのひこうせん", "霧の飛行船"),
        ("キリノヒコウセン", "霧の飛行船"),
        ("kiri no hikousen", "霧の飛行船"),
        ("kirinohikosen", "霧の飛行船"),
        ("kiri no hikōsen", "霧の飛行船"),
        ("ginga kishi", "銀河騎士"),
        ("ginga kisi", "銀河騎士"),
        ("くろすどろおん", "クロス・ドローン"),
        ("kurosu dorōn", "クロス・ドローン"),
        ("つずくあらし", "続く嵐"),
        ("tsuzuku arashi", "続く嵐"),
        ("tuduku arasi", "続く嵐"),
        ("ジヤツカル", "ジャッカル"),
        ("jakkaru", "ジャッカル"),
        ("zyakkaru", "ジャッカル"),
        ("波の～歌", "波の〜歌"),
        ("波の歌", "波の〜歌"),
    ],
)
def test_the_name_that_was_meant_comes_first(store: Store, typed: str, name: str) -> None:
    first = similar_names(store, typed)[0]
    assert name in {label.text for node in first.nodes for label in node.labels}
    assert first.name == name


@pytest.mark.parametrize(
    ("typed", "how", "certainty"),
    [
        ("jotun warden", "same spelling", 3),
        ("ぎんがきし", "reading", 3),  # stated: a name by itself
        ("ginga kishi", "reading, in romaji", 2),
        ("くろすどろおん", "kana", 2),
        ("くろすどろん", "kana", 0),  # the length of the vowel differs
        ("kurosu doron", "kana, in romaji", 2),  # romaji without any lengths
        ("きりのひこうせん", "reading made by a dictionary, not stated by a page", 2),
        ("kurosu derōn", "one slip", 0),
        ("xxtun worden", "alike", 0),
    ],
)
def test_how_a_name_was_found_is_said(store: Store, typed: str, how: str, certainty: int) -> None:
    found = similar_names(store, typed)[0]
    assert (found.how, found.certainty) == (how, certainty)


def test_made_readings_are_nowhere_shown(store: Store) -> None:
    [node] = find_nodes(store, "きりのひこうせん")
    assert node.reading is None and "reading" not in {label.role for label in node.labels}


def test_what_is_the_same_is_taken_with_a_word(store: Store) -> None:
    with asking("show") as asked:
        assert [node.label for node in find_nodes(store, "kiri no hikousen")] == ["霧の飛行船"]
    said = f"kiri no hikousen is taken for 霧の飛行船 ({IN_ROMAJI})"
    assert [str(reason) for reason in asked.taken] == [said]
    with asking("show") as asked:
        assert find_nodes(store, "霧の飛行船") and not asked.taken


@pytest.mark.parametrize("typed", ["Mist Airshp", "はし", "hashi", "", "…", "x" * 5000, "\0"])
def test_a_slip_or_what_may_be_several_is_never_taken(store: Store, typed: str) -> None:
    assert find_nodes(store, typed) == []


@pytest.mark.parametrize(
    "typed", ["ぺんぎん", "qqq", "", "…", "x" * 5000, "\0", '"', "^^ $$", "99.9"]
)
def test_what_is_like_nothing_has_no_near_names(store: Store, typed: str) -> None:
    assert near_names(store, typed) == ()


def test_homophones_are_both_suggested(store: Store) -> None:
    assert set(near_names(store, "はし")[:2]) == {"橋", "端"}


def test_suggestions_are_within_the_filters(store: Store) -> None:
    assert near_names(store, "Mist Airshp", Scope(game="mtg")) == ("Mist Airship",)
    assert near_names(store, "Mist Airshp", Scope(game="ygo")) == ()


@pytest.mark.parametrize("typed", ["クロス", "Cross", "kurosu"])
def test_what_is_only_a_beginning_suggests_the_names_that_begin_so(
    store: Store, typed: str
) -> None:
    assert len(near_names(store, typed)) == 2
    assert all(name.startswith(("クロス", "Cross")) for name in near_names(store, typed))


def test_a_used_name_comes_before_an_equally_like_one(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("ja,en\n炎の壁,Wall A\n炎の鐘,Bell B\n", "utf-8")
    (tmp_path / "b.csv").write_text("ja,en\n炎の鐘,Bell B\n氷の山,Hill\n", "utf-8")  # once more
    kb.build([tmp_path], tmp_path / "x.db", game="mtg", names="terms", workers=1)
    with Store(tmp_path / "x.db") as opened:
        assert [name.name for name in similar_names(opened, "炎の鏡")][:2] == ["炎の鐘", "炎の壁"]
        uses = opened.uses(["mtg/term/炎の鐘", "mtg/term/炎の壁", "nowhere"], most=5)
        assert uses["mtg/term/炎の鐘"] > uses["mtg/term/炎の壁"] > uses["nowhere"] == 0
        assert opened.uses(["mtg/term/炎の鐘"], most=1) == {"mtg/term/炎の鐘": 1}


@pytest.mark.parametrize(
    ("typed", "near"),
    [
        ("121.44", "121.4"),
        ("rule 121.44", "121.4"),
        ("704.5zz", "704.5"),
        ("ドロ", "ドロー"),
        ("state based action", "State-Based Actions"),
        ("ひいく", "引く"),
    ],
)
def test_near_names_of_the_sample(sample: Path, typed: str, near: str) -> None:
    with Store(sample) as opened:
        assert near_names(opened, typed)[0] == near


@pytest.mark.parametrize("typed", ["ひく", "hiku", "ヒク", "STATE BASED ACTIONS"])
def test_names_of_the_sample_are_taken(sample: Path, typed: str) -> None:
    with Store(sample) as opened:
        assert find_nodes(opened, typed)[0].id in {"mtg/term/引く", "mtg/term/状況起因処理"}


def test_no_sentence_is_suggested(sample: Path) -> None:
    with Store(sample) as opened:
        sentences = [n.label or "" for kind in ("outcome", "ruling") for n in opened.nodes(kind)]
        assert sentences
        for sentence in sentences[:20]:
            kinds = {node.kind for name in similar_names(opened, sentence) for node in name.nodes}
            assert kinds <= {"term", "card", "rule", "page"}


@pytest.mark.parametrize("command", ["refs", "show"])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_every_command_says_what_was_taken(
    sample: Path, command: str, options: tuple[str, ...]
) -> None:
    done = run(command, "hiku", *options, of=sample)
    assert done.exit_code == 0
    said = "hiku is taken for 引く (reading in romaji, made by a dictionary, not stated by a page)"
    assert said in " ".join(done.stderr.split()) and "is taken for" not in done.stdout


def test_results_say_what_was_taken(sample: Path) -> None:
    with kb.open(sample) as base:
        found = base.refs("hiku")
        assert "hiku is taken for 引く" in str(found.taken_as[0])
        assert str(found.taken_as[0]) in repr(found) and found.as_json()["taken_as"]
        assert not base.refs("引く").taken_as and base.show("hiku").taken_as


def test_an_unknown_name_is_exit_1_with_near_ones(sample: Path) -> None:
    done = run("refs", "ひいく", of=sample)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "nothing is called ひいく; near it: 引く" in done.stderr
    with kb.open(sample) as base, pytest.raises(kb.NotFoundError) as raised:
        base.refs("ひいく")
    assert raised.value.near[0] == "引く"
    done = run("refs", "704", "--game", "ygo", of=sample)
    assert "without the filters: 704 (rule, mtg, 20231117" in done.stderr


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("暗礁", "702 Reef"),
        ("浅瀬", None),  # another sentence
        ("渦", None),  # no bracket
        ("凪", None),  # two rules
        ("霧", None),  # a rule without a heading
    ],
)
def test_an_unknown_word_is_joined_to_the_rule_in_brackets_behind_it(
    tmp_path: Path, words: str, rule: str | None
) -> None:
    texts = {
        "120": "舟",
        "120.1": "暗礁に当たる舟は沈む(rule 702参照)。浅瀬に着く。舟は止まる(rule 702参照)。",
        "120.2": "渦についてはルール702を見る。凪の間は待つ(rule 702参照)。霧は濃い(rule 120.3)。",
        "120.3": "凪が終わると進む(rule 703参照)。",
    }
    english = {"702": "Reef", "702.1": "A reef stops a boat.", "703": "Calm"}
    books = {("20230101", "ja"): rulebook(texts), ("20230101", "en"): rulebook(english)}
    base = build_books(tmp_path, books, "lanterns")
    with pytest.raises(kb.NotFoundError) as raised:
        base.termbase(words)
    assert "the words stand in" in str(raised.value)
    assert ("perhaps" in str(raised.value)) == bool(rule), raised.value
    assert f"perhaps rule {rule}, cited behind it" in str(raised.value) or not rule


def _keys(path: Path) -> tuple[list[object], list[object]]:
    with sqlite3.connect(path) as db:
        return (
            db.execute("SELECT * FROM name_key ORDER BY id").fetchall(),
            db.execute("SELECT term, doc FROM name_gram_count").fetchall(),
        )


def test_an_update_makes_the_same_table_and_reads_only_new_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "lists"
    folder.mkdir()

    def build(name: str) -> None:
        kb.build([folder], tmp_path / name, game="mtg", names="cards", workers=1)

    (folder / "a.csv").write_text(NAMES, "utf-8")
    (folder / "b.csv").write_text("ja,en\n古い塔,Old Tower\n白い塔,White Tower\n", "utf-8")
    build("kept.db")
    (folder / "b.csv").write_text("ja,en\n古い塔,Old Tower\n赤い塔,Red Tower\n", "utf-8")
    made: list[str] = []
    original = name_keys.name_keys
    monkeypatch.setattr(
        name_keys, "name_keys", lambda name, tokens: made.append(name) or original(name, tokens)
    )
    build("kept.db")
    assert sorted(made) == ["Red Tower", "赤い塔"]
    build("new.db")
    assert _keys(tmp_path / "kept.db") == _keys(tmp_path / "new.db")
    with Store(tmp_path / "kept.db") as opened:
        assert similar_names(opened, "akai tō")[0].name == "赤い塔"
        assert similar_names(opened, "White Towr") == []


def test_a_build_records_the_values_that_nodes_have(sample: Path) -> None:
    with Store(sample) as opened:
        values = opened.values()
    assert values["game"] == ["dm", "lanterns", "mtg", "ygo"]
    assert values["lang"] == ["en", "ja"]
    assert values["edition"] == ["20231117", "20240401", "20240730", "20250401", "20260401"]
    assert {"mtgwiki", "wisdom-guild", "rulebook"} <= set(values["source"])
    assert list(values) == ["game", "lang", "source", "edition"]


def test_an_update_records_the_same_values_as_a_new_build(tmp_path: Path) -> None:
    folder = tmp_path / "names"
    folder.mkdir()
    for game in ("mtg", "ygo"):
        (folder / f"{game}.csv").write_text(f"ja,en\n{game}の島,{game} island\n", "utf-8")
    kb.build([folder], tmp_path / "kept.db", game="mtg", names="cards", workers=1)
    (folder / "ygo.csv").unlink()
    for name in ("kept", "new"):
        path = tmp_path / f"{name}.db"
        kb.build([folder], path, game="mtg", names="cards", workers=1, replace=True)
    with Store(tmp_path / "kept.db") as kept, Store(tmp_path / "new.db") as new:
        assert kept.values() == new.values()
        assert kept.values()["game"] == ["mtg"]


@pytest.mark.slow
@pytest.mark.shared
def test_names_of_the_lists_are_found(tmp_path: Path, shared: Path) -> None:
    source = (shared / "corpora" / "lexicon" / "yugioh_names_en_ja.tsv").read_text("utf-8")
    rows = source.splitlines(keepends=True)
    (tmp_path / "yugioh_names_en_ja.tsv").write_text("".join(rows[:1] + rows[1:2500]), "utf-8")
    kb.build([tmp_path], tmp_path / "x.db")
    with Store(tmp_path / "x.db") as opened:
        tallies = measure(opened, 100, seed=15)
    assert len(tallies) >= 6
    for what, tally in tallies.items():
        asked = len(tally.times)
        assert tally.among_five >= 0.95 * asked and tally.first >= 0.85 * asked, (what, str(tally))


URL = "http://mtgwiki.com/wiki/%E5%BC%95%E3%81%8F"


@pytest.mark.parametrize(
    ("typed", "node"),
    [
        (URL, "mtgwiki/引く"),
        ("http://mtgwiki.com/wiki/引く", "mtgwiki/引く"),
        ("https://m.mtgwiki.com/index.php?title=%E5%BC%95%E3%81%8F&redirect=no", "mtgwiki/引く"),
        ("mtgwiki.com/wiki/引く", "mtgwiki/引く"),
        (f"{URL}#ルール", "mtgwiki/引く#ルール"),
        (f"{URL}#no_such_place", "mtgwiki/引く"),
        ("https://dm-wiki.com/?%BB%C8%A4%A6", "dmwiki/使う"),
        ("MTG/TERM/引く", "mtg/term/引く"),
        ("ＭＴＧ/term/引く", "mtg/term/引く"),
        ("MTGWIKI/引く#ルール", "mtgwiki/引く#ルール"),
        ("MTG/CR/20231117/JA/121.4", "mtg/cr/20231117/ja/121.4"),
        ("'draw'", "mtg/term/引く"),
        ("“引く”", "mtg/term/引く"),
        ("『引く』", "mtg/term/引く"),
        ("121,4", "mtg/cr/20231117/ja/121.4"),
        ("704.5 b", "mtg/cr/20231117/ja/704.5b"),
        ("第一二一.四条", "mtg/cr/20231117/ja/121.4"),
        ("一二一・四", "mtg/cr/20231117/ja/121.4"),
        ("(121.4),", "mtg/cr/20231117/ja/121.4"),
        ("mtg/cr/2023-11-17/ja/121.4", "mtg/cr/20231117/ja/121.4"),
        ("Draw!", "mtg/term/引く"),
    ],
)
def test_what_is_printed_or_written_otherwise_is_found(sample: Path, typed: str, node: str) -> None:
    with Store(sample) as opened:
        assert node in [found.id for found in find_nodes(opened, typed)]


@pytest.mark.parametrize(
    "typed", ["http://example.com/x", "http://[", "x.txt", "/", "//", "a/b#c", "'", "''", "#", ","]
)
def test_what_is_no_address_names_nothing(sample: Path, typed: str) -> None:
    with Store(sample) as opened:
        assert find_nodes(opened, typed) == []


def test_the_file_of_a_page_names_it(tmp_path: Path) -> None:
    page = {"page 1.txt": "*札 [#top]\n遊びに使う紙片のこと。\n"}
    described(tmp_path, page, site="dmwiki", url="https://dm-wiki.com/?%BB%A5")
    kb.build([tmp_path], tmp_path / "x.db")
    with Store(tmp_path / "x.db") as opened:
        for typed in ("page 1.txt", "./page 1.txt", str(tmp_path / "page 1.txt")):
            assert [node.id for node in find_nodes(opened, typed)] == ["dmwiki/札"]
        assert find_nodes(opened, "age 1.txt") == []


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("mtg", 'a game: game="mtg"'),
        ("MTG", 'a game: game="mtg"'),
        ("dmwiki", 'a source of pages: source="dmwiki"'),
        ("en", 'a language: lang="en"'),
        (
            "http://mtgwiki.com/wiki/Z",
            "the address of mtgwiki/Z, which is not in this knowledge base",
        ),
        ("ルール", 'the heading of sections: base.search(section="ルール")'),
    ],
)
def test_the_value_of_a_filter_is_no_name(sample: Path, typed: str, said: str) -> None:
    with kb.open(sample) as base, pytest.raises(kb.NotFoundError) as raised:
        base.refs(typed)
    assert f"nothing is called {typed}; it is {said}" in str(raised.value)


def test_sentences_are_suggested_only_if_nothing_else_is() -> None:
    assert [is_long(name) for name in ("Draw", "札を引く。", "Wow!", "x" * 41)] == [
        False,
        True,
        True,
        True,
    ]


def test_numbers_among_words_are_suggested(sample: Path) -> None:
    with Store(sample) as opened:
        assert near_names(opened, "rules 704.5b and 121, 9999") == ("704.5b", "121")


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (["show"], "matches"),
        (["refs"], "edges"),
        (["path", "121"], "paths"),
        (["compare"], "rows"),
        (["trace"], "history"),
        (["steps"], "procedures"),
        (["outcomes"], "outcomes"),
        (["search", "--mentions"], "hits"),
        (["kwic", "--cites"], "lines"),
        (["top", "--under"], "nodes"),
    ],
)
def test_an_unknown_name_gives_one_shape_of_json(
    sample: Path, command: list[str], key: str
) -> None:
    done = run(*command, "99999", "--json", of=sample)
    document = json.loads(done.stdout)
    assert (done.exit_code, document[key]) == (1, []) and isinstance(document["near"], list)
    assert "sansho: nothing is called 99999" in done.stderr
