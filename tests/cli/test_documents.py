"""`sansho changes`: documents to be published, as Markdown, as a page, as a feed."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from markdown_it import MarkdownIt

import kb
from kb.cli.render.changes import words_of
from kb.cli.render.documents import (
    Entry,
    Heading,
    Paragraph,
    Piece,
    Rows,
    html_lines,
    markdown,
    markdown_lines,
)
from kb.cli.render.output import printable
from kb.rules.changes import RuleChange, RuleText
from tests.commands import run
from tests.editions.test_changes import GLOSSARIES, NEW, OLD, PAGE
from tests.hostile_markup import PAYLOADS
from tests.hostile_text import SEQUENCES, hostile
from tests.rulebooks import base_of, build_books, rulebook, wiki_source, write_books

EDITIONS = ("20230101", "20240101")
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def book(edition: str, rules: dict[str, str]) -> str:
    return rulebook(rules, glossary=GLOSSARIES[edition])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for name in ("books", "wiki"):
        (folder / name).mkdir()
    texts = {
        (EDITIONS[0], "en"): book(EDITIONS[0], OLD),
        (EDITIONS[1], "en"): book(EDITIONS[1], NEW),
    }
    sources = [
        write_books(folder / "books", texts, "dm"),
        wiki_source(folder / "wiki", {"船": PAGE}, "dmwiki"),
    ]
    with base_of(sources, folder / "kb.db") as base:
        return base.file


class _Shown(HTMLParser):
    """What a page shows: its text, and the text within each kind of element."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.within: dict[str, list[str]] = {}
        self.attributes: set[str] = set()
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {name for name, _ in attrs}
        if tag == "br":
            self.text += "\n"
            for name in self._open:
                self.within[name][-1] += "\n"
        elif tag not in ("meta", "hr", "img", "link"):
            self._open.append(tag)
        self.within.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        self.text += data
        for name in set(self._open):
            self.within[name][-1] += data


def shown_markdown(text: str) -> _Shown:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return _Shown(parser.render(text))


def squeezed(text: str) -> str:
    """A text without its spaces, which are laid out otherwise."""
    return "".join(text.split())


# -- Markdown --------------------------------------------------------------------------------------


def test_the_document_says_it_all(path: Path) -> None:
    text = run("changes", *EDITIONS, of=path).stdout
    lines = text.splitlines()
    assert lines[0] == "# Duel Masters: what changed in the rules from 2023-01-01 to 2024-01-01"
    assert lines[2] == "Compared in English: 20230101 (12 rules) and 20240101 (13 rules)."
    assert [line for line in lines if line.startswith("## ")] == [
        "## New rules (2)", "## Changed rules (2)", "## Removed rules (1)", "## Moved rules (7)",
        "## Glossary", "## Pages that may be stale now",
    ]  # fmt: skip
    assert "### 101 Weather" in lines and f"- `101.1` {NEW['101.1']}" in lines
    changed = (
        "- `100.2` To moor a ship, its owner pays ~~two~~ **three** coins and turns it upright."
    )
    assert changed in lines
    assert "- `102.1 → 103.1` A lantern burns for ~~two~~ **four** turns" in text
    assert "| 101 | 102 | Anchors | 4 |" in lines and "101.2a" not in text
    assert "- `Anchor` cites 101.1 → 102.1" in lines
    assert "- `Sail` What ~~owners~~ **captains** hoist." in lines
    assert "| dmwiki/船 | 3 |" in lines
    assert "`sansho impact 20230101 20240101 --lang en --game dm`" in text
    assert str(path) not in text


def test_the_sums_are_those_of_diff(path: Path) -> None:
    text = run("changes", *EDITIONS, of=path).stdout
    rows = [
        re.fullmatch(r"\| .* \| (\d+) \|", line) for line in text.partition("## ")[0].splitlines()
    ]
    with kb.open(path) as base:
        found = base.diff(*EDITIONS)
        assert sum(int(row[1]) for row in rows if row) == len(found.changes) + found.same


def test_the_notice_of_the_sample_stands_in_each(base: kb.KnowledgeBase) -> None:
    for form in ("markdown", "html", "atom"):
        text = run("changes", "20231117", "20240730", "--format", form, of=base).stdout
        assert base.notice.split(";")[0][:40] in text, form


_TEXT = st.text("ab Aé漢か「」、。()[]{}<>&*_~`#|!-+=.:;\"'$%\\\n１", max_size=24)


@given(_TEXT)
@example("1. a")
@example("- a")
@example("===")
@example("[a]: b")
@example("&lt;b&gt;")
@example("{{7919*7907}}{%include x%}")
def test_text_in_markdown_shows_as_it_is(text: str) -> None:
    blocks = [
        Heading(2, text), Paragraph([Piece(text)]), Entry(text, [Piece(text)]),
        Rows(("a", "b"), [(text, text)]),
    ]  # fmt: skip
    written = "\n".join(markdown_lines(blocks))
    shown = shown_markdown(written)
    assert squeezed(shown.text) == squeezed(f"{text}{text}{text} {text}ab{text}{text}")
    assert set(shown.within) <= {
        "h2", "p", "ul", "li", "code", "table", "thead", "tbody", "tr", "th", "td", "br",
    }  # fmt: skip
    assert "{{" not in written and "{%" not in written


@given(st.lists(st.tuples(st.text("ab漢か「。,.()*~!1", min_size=1, max_size=4), st.booleans())))
def test_marks_are_marks_whatever_is_beside_them(pairs: list[tuple[str, bool]]) -> None:
    """Also where CommonMark takes `**` between a sign and a letter for two asterisks."""
    pieces = [Piece("x")]
    for n, (text, is_added) in enumerate(pairs):
        pieces += [Piece(text, "added" if is_added else "removed"), Piece(f"か{n}"[: 1 + n % 2])]
    shown = shown_markdown("\n".join(markdown_lines([Entry("1", pieces)])))
    assert shown.within.get("strong", []) == [text for text, is_added in pairs if is_added]
    assert shown.within.get("s", []) == [text for text, is_added in pairs if not is_added]
    assert shown.text.strip() == "1 " + "".join(piece.text for piece in pieces)


_SENTENCE = st.lists(
    st.sampled_from("a ship moors . , “quay” 船 を 動かす 。 twice".split()), min_size=1
)


@given(_SENTENCE, _SENTENCE, st.sampled_from([" ", ""]))
def test_the_words_of_a_change_are_both_texts(old: list[str], new: list[str], between: str) -> None:
    """Without what was added they are the old text, without what was removed the new one."""
    before, after = between.join(old), between.join(new)
    pieces = words_of(RuleChange("changed", RuleText("1", before), RuleText("1", after)))
    kept = {
        kind: squeezed("".join(piece.text for piece in pieces if piece.kind != kind))
        for kind in ("added", "removed")
    }
    assert (kept["added"], kept["removed"]) == (squeezed(before), squeezed(after))


def test_words_are_not_written_together() -> None:
    def words(before: str, after: str) -> str:
        change = RuleChange("changed", RuleText("1", before), RuleText("1", after))
        return "\n".join(markdown_lines([Entry("1", words_of(change))]))

    assert words("Two old ships moor here.", "Two ships moor here.") == (
        "- `1` Two ~~old~~ ships moor here."
    )
    assert words("It moors. It sinks.", "It moors.") == "- `1` It moors. ~~It sinks.~~"
    assert words("船を動かす。", "船を三回動かす。") == "- `1` 船を**三回**動かす。"
    assert words("A ship moors", "A ship, moors") == "- `1` A shi&#112;**,** moors"


def test_a_rule_that_was_written_anew_is_two_texts() -> None:
    before, after = (
        f"{first} the lighthouse keeper {second} the lighthouse keeper {third}"
        for first, second, third in (
            ("Old words that say so very little of", "and whatever nobody ever reads of", "ended."),
            ("New sentences of another kind on", "told from their beginning onwards by", "began."),
        )
    )
    change = RuleChange("changed", RuleText("1", before), RuleText("1", after))
    assert words_of(change) == [Piece(before, "removed"), Piece("\n"), Piece(after, "added")]


# -- the page --------------------------------------------------------------------------------------


def test_the_page_needs_nothing_else(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "changes.html"
    done = run("changes", *EDITIONS, "--out", file, of=path)
    assert done.exit_code == 0 and "12 changes of rules, 2 the same" in done.stdout
    html = file.read_text("utf-8")
    shown = _Shown(html)
    assert html.startswith("<!DOCTYPE html>")
    assert not {"script", "link", "img", "iframe"} & set(shown.within)
    assert shown.within["del"][:1] == ["two"] and shown.within["ins"][:1] == ["three"]
    assert shown.attributes <= {"lang", "charset", "name", "content", "class", "id", "href", "dir"}
    places = re.findall(r'id="([^"]+)"', html)
    assert re.findall(r'href="#([^"]+)"', html) == places and len(set(places)) == len(places) > 5


@given(_TEXT)
def test_text_on_a_page_shows_as_it_is(text: str) -> None:
    blocks = [
        Heading(2, text, "ja"), Paragraph([Piece(text, "typed")]),
        Entry(text, [Piece(text, "added"), Piece(text, "removed")], text),
        Rows(("a", "b"), [(text, text)], ("en", text)),
    ]  # fmt: skip
    html = "".join(html_lines(blocks))
    root = etree.fromstring(f"<div>{html}</div>")
    assert squeezed("".join(root.itertext())) == squeezed(f"{text * 5}ab{text * 2}")


# -- the feed --------------------------------------------------------------------------------------


def feed(*words: object, of: object) -> etree._Element:
    done = run("changes", *EDITIONS, "--format", "atom", *words, of=of)  # type: ignore[arg-type]
    assert done.exit_code == 0, done.stderr
    return etree.fromstring(done.stdout.encode())


def texts(root: etree._Element, where: str) -> list[str]:
    return [element.text or "" for element in root.iterfind(where, ATOM)]


def test_a_feed_has_what_the_standard_asks(path: Path) -> None:
    root = feed(of=path)
    assert root.tag == f"{{{ATOM['a']}}}feed"
    for element in ("a:id", "a:title", "a:updated", "a:author/a:name"):
        assert len(texts(root, element)) == 1 and texts(root, element)[0]
    entries = root.findall("a:entry", ATOM)
    assert texts(root, "a:entry/a:title") == [
        "100 Ships", "101 Weather", "102 Anchors", "103 Lanterns", "Glossary",
    ]  # fmt: skip
    for entry in entries:
        assert [child.tag.rpartition("}")[2] for child in entry] == [
            "id", "title", "updated", "content",
        ]  # fmt: skip
        [content] = entry.findall("a:content", ATOM)
        assert content.get("type") == "html"
        etree.fromstring(f"<div>{content.text}</div>")
    assert set(texts(root, ".//a:updated")) == {"2024-01-01T00:00:00Z"}
    assert "<del>two</del> <ins>three</ins>" in texts(root, "a:entry/a:content")[0]


def test_its_ids_stay_what_they_are(path: Path) -> None:
    root = feed(of=path)
    ids = texts(root, "a:entry/a:id")
    assert ids[0] == "urn:sansho:changes:dm:en:20230101:20240101:100"
    assert len(set(ids)) == len(ids) and texts(root, "a:id") == ["urn:sansho:changes:dm:en"]
    part = feed("--under", "103", of=path)
    assert texts(part, "a:entry/a:id") == [ids[3]]
    assert etree.tostring(root) == etree.tostring(feed(of=path))


def test_a_section_of_the_older_edition_has_an_id_of_its_own(tmp_path: Path) -> None:
    new = {number: OLD[number] for number in list(OLD)[:5]}
    new |= {"101": "Weather", "101.1": NEW["101.1"], "101.2": "A storm sinks all of the wrecks."}
    given = {(EDITIONS[0], "en"): rulebook(OLD), (EDITIONS[1], "en"): rulebook(new)}
    root = feed(of=build_books(tmp_path, given))
    ends = [one.rpartition("20240101:")[2] for one in texts(root, "a:entry/a:id")]
    assert sorted(ends) == ["101", "101:removed", "102:removed"]


def test_a_feed_needs_a_date(tmp_path: Path) -> None:
    given = {("1.1", "en"): rulebook(OLD), ("1.2", "en"): rulebook(NEW)}
    base, out = build_books(tmp_path, given), tmp_path / "changes.atom"
    out.write_text("old", "utf-8")
    done = run("changes", "1.1", "1.2", "--out", out, of=base)
    assert done.exit_code == 2 and "1.2 has no date" in done.stderr
    assert out.read_text("utf-8") == "old"
    assert run("changes", "1.1", "1.2", of=base).exit_code == 0


# -- the file --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["changes.pdf", "changes", "changes.md.gz"])
def test_an_unknown_suffix_is_refused(path: Path, tmp_path: Path, name: str) -> None:
    done = run("changes", *EDITIONS, "--out", tmp_path / name, of=path)
    said = " ".join(done.stderr.split())
    assert done.exit_code == 2 and "a suffix of .md, .html, .atom" in said and "--format" in said
    assert not (tmp_path / name).exists()


def test_the_suffix_chooses_and_the_format_wins(path: Path, tmp_path: Path) -> None:
    begins = {".md": "# ", ".MD": "# ", ".html": "<!DOCTYPE", ".atom": "<?xml"}
    for suffix, beginning in begins.items():
        file = tmp_path / f"changes{suffix}"
        assert run("changes", *EDITIONS, "--out", file, of=path).exit_code == 0
        assert file.read_text("utf-8").startswith(beginning)
    run("changes", *EDITIONS, "--out", tmp_path / "x.txt", "--format", "html", of=path)
    assert (tmp_path / "x.txt").read_text("utf-8").startswith("<!DOCTYPE")


def test_json_beside_a_file_and_without(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "changes.md"
    done = run("changes", *EDITIONS, "--out", file, "--json", of=path)
    assert json.loads(done.stdout)["moves"][1]["rules"] == 4 and file.exists()
    assert json.loads(run("changes", *EDITIONS, "--json", of=path).stdout) == json.loads(
        done.stdout
    )


def test_what_is_not_in_it_is_told_with_commands_that_run(tmp_path: Path) -> None:
    old, new = OLD | {"102.3": "A “buoy” floats."}, OLD | {"102.3": 'A "buoy" floats.'}
    given = {
        (edition, lang): rulebook(rules)
        for lang in ("en", "de")
        for edition, rules in zip(EDITIONS, (old, new), strict=True)
    }
    base = build_books(tmp_path, given)
    text = run("changes", *EDITIONS, "--lang", "en", "--under", "102", of=base).stdout
    commands = re.findall(r"`sansho (.*?)`", text.partition("## Not in this document")[2])
    assert [command.split()[0] for command in commands] == ["changes", "diff", "changes"]
    for command in commands:
        assert run(*command.split(), of=base).exit_code == 0
    assert "102.3" in run(*commands[1].split(), of=base).stdout


# -- hostile texts ---------------------------------------------------------------------------------


def test_hostile_rules_stay_text(tmp_path: Path) -> None:
    rng = Random(1)
    signs = [
        *(text for text in PAYLOADS if len(text) < 100 and text != "\0"),  # no file has it
        *(hostile("引", rng) for _ in range(9)),
    ]
    old = {
        "100": "Ships",
        **{f"100.{n}": f"A ship {n} moors twice." for n, _ in enumerate(signs, 1)},
    }
    new = {"100": "Ships"}
    for n, text in enumerate(signs, 1):
        new[f"100.{n}"] = f"A ship {n} moors {' '.join(text.split())} twice."
    given = {(EDITIONS[0], "en"): rulebook(old), (EDITIONS[1], "en"): rulebook(new)}
    base = build_books(tmp_path, given)
    found = [change.after.text for change in base.diff(*EDITIONS).changes if change.after]
    assert len(found) > len(signs) // 2
    page = _Shown(run("changes", *EDITIONS, "--format", "html", of=base).stdout)
    assert not {"script", "svg", "img", "base", "object", "form"} & set(page.within)
    assert not any(name.startswith("on") for name in page.attributes)
    text = run("changes", *EDITIONS, of=base).stdout
    listed = shown_markdown(text)
    assert not {"script", "svg", "img", "a", "base", "object", "form"} & set(listed.within)
    entries = feed(of=base).findall("a:entry/a:content", ATOM)
    for entry in entries:
        assert not {"script", "svg", "img", "a"} & set(_Shown(entry.text or "").within)
    for one in found:
        assert squeezed(printable(one)) in squeezed(listed.text)
    assert not any(sequence in text for sequence in SEQUENCES if sequence not in "\u2028\u2029")


def test_markdown_is_on_one_line() -> None:
    assert markdown("a\n\n- b") == "a<br>- b"
