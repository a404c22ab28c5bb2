"""Names are found although they are misspelt, in kana, or in romaji; and the values that exist."""

from __future__ import annotations

from pathlib import Path

import pytest

import kb
from graphs.store.reader import Store


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("names") / "sample.db"
    kb.build(kb=file)
    return file


def test_a_build_records_the_values_that_nodes_have(sample: Path) -> None:
    with Store(sample) as store:
        values = store.values()
    assert values["game"] == ["dm", "mtg", "ygo"]
    assert values["lang"] == ["en", "ja"]
    assert values["edition"] == ["20231117", "20240730"]
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
        kb.build([folder], tmp_path / f"{name}.db", game="mtg", names="cards", workers=1)
    with Store(tmp_path / "kept.db") as kept, Store(tmp_path / "new.db") as new:
        assert kept.values() == new.values()
        assert kept.values()["game"] == ["mtg"]
