"""The edges at a node in parts: all of them, once, the strongest first, however many there are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import kb
from graphs.store.file.connection import ReadConnection
from tests.commands import run
from tests.rulebooks import base_of, build_books, write_books
from tests.webs import mediawiki

BOOK = """Harbour Comprehensive Rules

1. Harbour

100. Ships

100.1. A ship is a card with a sail. See rule 101, “Winds.”

100.2. A captain may board one empty ship, even if rule 101.1 says otherwise.

101. Winds

101.1. The wind turns once a round.{extra}

101.1a A becalmed ship stays where it is (see rule 101.1 and rule 101.1).
"""


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> kb.KnowledgeBase:
    books = {
        ("20210101", "en"): BOOK.format(extra=""),
        ("20220101", "en"): BOOK.format(extra=" See rule 100.1."),
    }
    return build_books(tmp_path_factory.mktemp("harbour"), books)


def in_parts(base: kb.KnowledgeBase, ref: str, most: int, **options: object) -> list[kb.Edge]:
    found: list[kb.Edge] = []
    after = None
    while True:
        part = base.refs(ref, most=most, after=after, **options)  # type: ignore[arg-type]
        found += part.edges
        if part.more is None:
            assert 0 < len(part.edges) <= most or not found
            return found
        assert len(part.edges) == most
        after = part.more


CONTAINMENT = ("part_of", "quotes")
KINDS = tuple(kind for kind in kb.STRENGTH if kind not in CONTAINMENT)


@pytest.mark.parametrize("most", [1, 3, 1000])
@pytest.mark.parametrize("ref", ["101.1", "101", "harbour/cr/20220101/en/100.1"])
@pytest.mark.parametrize("direction", ["in", "out", "both"])
@pytest.mark.parametrize("with_parts", [False, True])
def test_the_parts_are_the_whole(
    harbour: kb.KnowledgeBase, ref: str, direction: kb.Direction, with_parts: bool, most: int
) -> None:
    for kinds in (KINDS, ("cites",), CONTAINMENT):
        whole = harbour.refs(ref, direction=direction, kinds=kinds, with_parts=with_parts).edges
        parts = in_parts(
            harbour, ref, most, direction=direction, kinds=kinds, with_parts=with_parts
        )
        assert len(parts) == len(set(parts)) and set(parts) == set(whole)
        strengths = [kb.STRENGTH[edge.kind] for edge in parts]
        assert strengths == sorted(strengths)


def directed(found: kb.Refs) -> set[tuple[kb.Edge, bool, int]]:
    references = found.references(everything=True)
    return {(edge, each.inward, each.depth) for each in references for edge in each.edges}


@pytest.mark.parametrize("most", [1, 4, 1000])
@pytest.mark.parametrize("direction", ["in", "out", "both"])
@pytest.mark.parametrize("with_parts", [False, True])
def test_the_parts_of_several_steps(
    harbour: kb.KnowledgeBase, direction: kb.Direction, with_parts: bool, most: int
) -> None:
    for ref, depth, kinds in [("100.2", 2, KINDS), ("100.1", 3, KINDS), ("101.1a", 2, ("cites",))]:
        asked = {"direction": direction, "kinds": kinds, "with_parts": with_parts, "depth": depth}
        whole = harbour.refs(ref, **asked)  # type: ignore[arg-type]
        far = dict(zip(whole.edges, whole.depths, strict=True))
        after, parts, steps = None, list[kb.Edge](), list[int]()
        references = set[tuple[kb.Edge, bool, int]]()
        while True:
            part = harbour.refs(ref, most=most, after=after, **asked)  # type: ignore[arg-type]
            parts, steps, after = [*parts, *part.edges], [*steps, *part.depths], part.more
            references |= directed(part)
            if after is None:
                break
        assert len(parts) == len(set(parts)) and set(parts) == set(far)
        assert steps == sorted(steps) == [far[edge] for edge in parts]
        assert references == directed(whole)


def test_edges_out_of_a_node_come_first_and_those_of_the_newest_edition(
    harbour: kb.KnowledgeBase,
) -> None:
    edges = in_parts(harbour, "100.1", 2, kinds="cites")
    ends = [(edge.source, edge.target) for edge in edges]
    new, old = "harbour/cr/20220101/en", "harbour/cr/20210101/en"
    assert ends == [
        (f"{new}/100.1", f"{new}/101"),
        (f"{old}/100.1", f"{old}/101"),
        (f"{new}/101.1", f"{new}/100.1"),
    ]


@pytest.mark.parametrize("ref", ["dmwiki/山札", "mtgwiki/引く", "mtg/term/引く", "704"])
def test_the_parts_of_a_page_or_term_are_what_refs_finds(base: kb.KnowledgeBase, ref: str) -> None:
    for direction in ("out", "in"):
        whole = {
            edge
            for edge in base.refs(ref, direction=direction).edges  # type: ignore[arg-type]
            if edge.kind not in CONTAINMENT
        }
        parts = in_parts(base, ref, 7, direction=direction)
        assert set(parts) <= whole
        # A page's rules may be cited on the page itself: these lead out of it.
        assert all(edge.target and "/cr/" in edge.target for edge in whole - set(parts))


@pytest.mark.parametrize("ref", ["mtgwiki/引く", "wisdom-guild/cr/r/704"])
def test_of_a_page_are_counted_the_edges_that_are_listed(base: kb.KnowledgeBase, ref: str) -> None:
    for direction in ("out", "in"):
        part = base.refs(ref, direction=direction, kinds=list(kb.STRENGTH), most=5_000)
        assert part.more is None and part.counts
        assert part.counts[direction] == Counter(edge.kind for edge in part.edges)


def test_a_link_in_another_page_s_quotation_leads_to_the_page(tmp_path: Path) -> None:
    quoted = "</p><h2>引用:総合ルール 20210101.0</h2><ul><li>100.1 船とは札である。{}</li></ul>"
    link = '<a href="/wiki/船">船</a>参照。'
    for name, content in (("船", quoted.format("")), ("帆", quoted.format(link))):
        (tmp_path / f"{name}.html").write_text(mediawiki(name, f"木でできている。{content}"))
    with base_of(sorted(tmp_path.glob("*.html")), tmp_path / "kb.db", game="harbour") as opened:
        whole = {edge for edge in opened.refs("mediawiki/船").edges if edge.kind not in CONTAINMENT}
        assert any(edge.kind == "links_to" for edge in whole)
        parts = in_parts(opened, "mediawiki/船", 2)
        assert len(parts) == len(whole) and set(parts) == whole


def test_the_edges_of_all_kinds_and_directions_are_counted(harbour: kb.KnowledgeBase) -> None:
    part = harbour.refs("101.1", direction="out", kinds="mentions", most=1)
    whole = harbour.refs("101.1", kinds="cites", direction="in")
    assert part.counts and part.counts["in"]["cites"] == len(whole.edges)
    assert part.counts["out"]["part_of"] == 2 and "mentions" not in part.counts["out"]
    assert list(part.counts["in"]) == sorted(part.counts["in"], key=kb.STRENGTH.__getitem__)
    document = part.as_json()
    assert document["counts"] == part.counts and document["more"] is None
    json.dumps(document)
    assert harbour.refs("101.1").as_json()["counts"] is None


def test_a_place_is_taken_only_by_the_question_that_it_is_of(
    harbour: kb.KnowledgeBase, tmp_path: Path
) -> None:
    token = harbour.refs("101.1", most=1).more.ask.arguments["after"]
    assert token and harbour.refs("101.1", most=5, after=token).edges
    asked = [
        lambda: harbour.refs("101.1", most=1, after=token + "0"),
        lambda: harbour.refs("101.1", most=1, after=token.replace(".", "٣", 1)),
        lambda: harbour.refs("101.1", most=1, after="9" * 40),
        lambda: harbour.refs("101.1", most=1, after=" "),
        lambda: harbour.refs("101.1", most=1, kinds="cites", after=token),
        lambda: harbour.refs("101.1", most=1, direction="in", after=token),
        lambda: harbour.refs("101", most=1, after=token),
        lambda: harbour.refs("101.1", after=token),
        lambda: harbour.refs("101.1", most=1, depth=2, after=token),
        lambda: harbour.refs("101.1", most=0),
    ]
    for ask in asked:
        with pytest.raises(kb.QuestionError):
            ask()
    books = {("20220101", "en"): BOOK.format(extra=""), ("20210101", "en"): BOOK.format(extra="")}
    with (
        build_books(tmp_path, books) as other,
        pytest.raises(kb.QuestionError, match="begin again"),
    ):
        other.refs("101.1", most=1, after=token)


def test_of_very_many_edges_only_those_are_read_that_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = "\n\n".join(f"100.{n}. A sail. See rule 101.1." for n in range(1, 1500))
    text = f"Harbour Comprehensive Rules\n\n1. Harbour\n\n100. Ships\n\n{rules}\n\n101. Winds\n\n"
    books = {("20210101", "en"): text + "101.1. The wind turns once a round.\n"}
    kb.build([write_books(tmp_path / "books", books)], tmp_path / "kb.db")
    fetched = 0
    execute = ReadConnection.execute

    def counting(self: ReadConnection, sql: str, parameters: object = (), /) -> object:
        nonlocal fetched
        fetched += len(execute(self, sql, parameters).fetchall())
        return execute(self, sql, parameters)

    with kb.open(tmp_path / "kb.db") as base:
        monkeypatch.setattr(ReadConnection, "execute", counting)
        part = base.refs("101.1", most=10, kinds="cites", direction="in")
        assert part.counts and part.counts["in"]["cites"] == 1499
        assert len(part.edges) == 10 and part.more
        part = base.refs("101.1", most=10, kinds="cites", direction="in", after=part.more)
        assert part.edges[0].source.endswith("/100.11")
    assert fetched < 400


def test_edges_of_one_kind_come_in_the_order_of_the_pages(base: kb.KnowledgeBase) -> None:
    for kind in ("mentions", "links_to"):
        whole = base.refs("mtg/term/引く", direction="in", kinds=[kind]).edges
        assert in_parts(base, "mtg/term/引く", 4, direction="in", kinds=[kind]) == list(whole)


@pytest.mark.slow
def test_the_command_lists_containment_in_parts_with_all(tmp_path: Path) -> None:
    kb.build(kb=tmp_path / "a.db")

    def edges(*more: str) -> list[str]:
        words = ["refs", "121.4", "--kb", str(tmp_path / "a.db"), "--json", *more]
        done = run(*words)
        assert done.exit_code == 0, done.stderr
        return sorted(json.dumps(edge) for edge in json.loads(done.stdout)["edges"])

    parts = edges("--after", "start", "--max", "500", "--all")
    assert parts == edges()
    assert len(edges("--after", "start", "--max", "500")) < len(parts)


def test_the_command_says_where_references_are_within_the_page(harbour: kb.KnowledgeBase) -> None:
    words = "refs rulebook/harbour/cr/20220101/en --kind cites --max 2 --after start".split()
    done = run(*words, of=harbour)
    assert done.stdout.splitlines()[1].startswith("In all: cites ") and not done.stderr
    assert "references to itself (2)" in done.stdout and "There are more" in done.stdout


def test_the_command_says_how_many_there_are_in_all(harbour: kb.KnowledgeBase) -> None:
    def shown(*words: str) -> str:
        done = run("refs", "101.1", *words, of=harbour)
        return " ".join(done.stdout.split())

    number = (harbour.refs("101.1", most=1).counts or {})["in"]["cites"]
    assert f"cited by {number} places" in shown("--max", "1", "--after", "start")
    assert "contains" not in shown("--max", "1", "--after", "start")
    only_out = shown("--max", "1", "--after", "start", "--direction", "out")
    assert "In all: cites" in only_out and "cited by" not in only_out.partition(".")[0]
