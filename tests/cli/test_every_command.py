"""Every command prints one JSON document, and after renewals the one of a build from nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

import kb
from kb.cli.group import main
from tests.commands import run
from tests.conftest import SAMPLE

# What a command is asked; {out} is a file that it may write.
ASKED = {
    "show": ["引く", "121.4", "手札", "なし"],
    "refs": ["引く --depth 2", "704 --direction in --kind cites --with-parts --depth 3"],
    "path": ["引く 状況起因処理", "121.2a 616.1g --max 3"],
    "top": ["", "--mentioned --kind term --max 5", "--linked --lang ja"],
    "search": ["カードを引かれた", "カード --mentions 引く --cites 121", "ありえない言葉"],
    "kwic": ["手札", "引く --game mtg"],
    "ask": ["空のライブラリーから引こうとするとどうなる？", "What is a draw?"],
    "compare": ["引く", "デッキ 山札 ライブラリー"],
    "diff": ["20231117 20231117 --lang ja"],
    "trace": ["121.4"],
    "changes": ["20231117 20240730", "20231117 20240730 --under 121 --out {out}.md"],
    "impact": ["20231117 20240730", "20231117 20240730 --source mtgwiki --kind words"],
    "align": ["ja en"],
    "steps": ["引く", "ドロー"],
    "outcomes": ["引く", "通常のドロー"],
    "rulings": ["灰流うらら", "通常のドロー --max 1"],
    "terms": ["", "--game ygo --lang ja"],
    "termbase": ["", "引く", "ドロー --game ygo --cards"],
    "match": ["A player who draws from an empty library loses the game.", "ありえない言葉"],
    "export": ["--out {out}.jsonl"],
    "draw": ["引く --out {out}.svg"],
    "audit": [""],
    "stats": [""],
}
OTHERS = {  # their tests are elsewhere
    "build", "decide", "check", "completion", "crawl", "demo", "lsp", "mcp", "near", "package",
    "plugins", "serve", "site", "update", "verify",
}  # fmt: skip


class Two(NamedTuple):
    """A knowledge base that was renewed some times, and one of the same pages from nothing."""

    renewed: Path
    new: Path


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Two:
    folder = tmp_path_factory.mktemp("two")
    pages = Path(shutil.copytree(SAMPLE, folder / "pages"))
    made = Two(folder / "renewed.db", folder / "new.db")
    hand, library = pages / "mtgwiki" / "hand.html", pages / "mtgwiki" / "library.html"
    kb.build([pages], made.renewed)
    for file, old, new in (
        (hand, "。", "、山札切れの札である。"),
        (library, "ライブラリー", "書庫"),
        (library, "書庫", "ライブラリー"),
        (hand, "手札", "手の札"),
    ):
        file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
        assert kb.build([pages], made.renewed).changes
    kb.build([pages], made.new)
    return made


def test_each_is_asked() -> None:
    assert set(ASKED) | OTHERS == set(main.commands)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "words"), [(c, w) for c in ASKED for w in ASKED[c]])
def test_the_same_answer_in_one_document(
    two: Two, tmp_path: Path, command: str, words: str
) -> None:
    said = []
    for path in two:
        asked = words.format(out=tmp_path / "out").split()
        done = run(command, *asked, "--json", of=path)
        assert done.exit_code in {0, 1} and not isinstance(done.exception, Exception), done.stderr
        said.append((done.exit_code, json.loads(done.stdout)))
        said[-1] += tuple(file.read_bytes() for file in sorted(tmp_path.iterdir()))
    assert said[0] == said[1]
