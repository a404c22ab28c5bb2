"""What pages are called whose titles are codes."""

from __future__ import annotations

import sqlite3

from graphs.model import Label, Node
from graphs.store.titles import page_name, page_titles


def test_a_page_whose_title_is_a_code_is_called_by_its_other_name() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE node (key, id, label, game, source, edition, lang)")
    db.execute("CREATE TABLE label (node, text, role)")
    titles = {1: "card/X1", 2: "card/X2", 3: "Wind"}
    for key, title in titles.items():
        db.execute("INSERT INTO node (key, id, label) VALUES (?, ?, ?)", (key, f"w/{key}", title))
        db.execute("INSERT INTO label VALUES (?, ?, 'preferred')", (key, title))
    db.execute("INSERT INTO label VALUES (1, '帆/Sail', 'alias'), (3, '風', 'alias')")
    found = page_titles(db, ["w/1", "w/2", "w/3"])
    assert [title.title for title in found.values()] == ["帆/Sail", "card/X2", "Wind"]
    names = (Label("ja", "card/X1", "preferred"), Label("ja", "帆/Sail", "alias"))
    assert page_name(Node("w/1", "page", label="card/X1", labels=names)) == "帆/Sail"
    assert page_name(Node("w/3", "page", label="Wind", labels=names)) == "Wind"
