"""What narrows a search and a concordance, against all that there is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import kb
from tests.commands import run

Line = kb.ConcordanceLine


def of(base: kb.KnowledgeBase, line: Line) -> set[str]:
    """The passage and all nodes that stand for it."""
    return {line.passage, line.node.id}


def targets(base: kb.KnowledgeBase, kind: str) -> dict[str, set[str]]:
    """For each passage and each node the nodes that it has an edge to."""
    found: dict[str, set[str]] = {}
    for source, target, data in base.graph().edges(data=True):
        if data["kind"] == kind:
            for giver in (source, data["passage"]):
                found.setdefault(giver, set()).add(target)
    return found


@pytest.fixture(scope="module")
def every(base: kb.KnowledgeBase) -> tuple[Line, ...]:
    return base.kwic("カード", most=100_000).lines


FIELDS: list[tuple[kb.PassageFilters, Callable[[Line], bool]]] = [
    ({"game": "ygo"}, lambda line: line.node.game == "ygo"),
    ({"source": "mtgwiki"}, lambda line: line.passage.startswith("mtgwiki/")),
    ({"edition": "2023-11-17"}, lambda line: line.place.edition == "20231117"),
    ({"lang": "en"}, lambda line: line.node.lang == "en"),
    ({"section": "ﾙｰﾙ"}, lambda line: "ルール" in line.passage.partition("¶")[0]),
    ({"kind": "rule"}, lambda line: line.node.kind == "rule"),
]


@pytest.mark.parametrize(("where", "holds"), FIELDS, ids=[str(where) for where, _ in FIELDS])
def test_a_field(
    base: kb.KnowledgeBase,
    every: tuple[Line, ...],
    where: kb.PassageFilters,
    holds: Callable[[Line], bool],
) -> None:
    expected = tuple(line for line in every if holds(line))
    assert base.kwic("カード", most=100_000, **where).lines == expected
    assert expected or where == {"lang": "en"}


def test_what_a_passage_states(base: kb.KnowledgeBase) -> None:
    questions = [(node.label or "").partition("\n")[0] for node in base.nodes("ruling")]
    hits = base.search("通常のドロー", kind="ruling").hits
    assert len(hits) >= 2 and all(
        any(asked in (hit.node.text or "") for asked in questions) for hit in hits
    )


def test_edges_of_the_graph(base: kb.KnowledgeBase, every: tuple[Line, ...]) -> None:
    """引く *and* 614: by the passage, or by the rule that it gives; sub-rules count."""
    mentions, cites = targets(base, "mentions"), targets(base, "cites")
    under = {n.id for n in base.nodes("rule") if (n.number or "").startswith("614")}
    expected = [
        line
        for line in every
        if any("mtg/term/引く" in mentions.get(node, ()) for node in of(base, line))
        and any(under & cites.get(node, set()) for node in of(base, line))
    ]
    found = base.kwic("カード", most=100_000, mentions=["ドロー"], cites=["rule 614"]).lines
    assert list(found) == expected != []
    hits = base.search("カード", mentions="引く", cites="614").hits
    assert {hit.passage for hit in hits} == {line.passage for line in expected}
    both = base.search("カード", mentions=["引く", "置換効果"]).hits
    assert both and {hit.node.id for hit in both} <= {
        hit.node.id for hit in base.search("カード", most=1000, mentions=["引く"]).hits
    }


def test_few_that_fit_are_all_found(base: kb.KnowledgeBase) -> None:
    """The filter is part of the query: what fits is found however far down it ranks."""
    all_hits = base.search("カード", most=10_000).hits
    fitting = [hit for hit in all_hits if hit.node.game == "dm"]
    assert all_hits.index(fitting[0]) > 3  # or this would show nothing
    assert base.search("カード", most=3, game="dm").hits == tuple(fitting[:3])


def test_one_rule_given_by_many_passages_takes_one_place(base: kb.KnowledgeBase) -> None:
    hits = base.search("カード", most=50).hits
    assert len(hits) == 50 == len({hit.node.id for hit in hits})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cites", "999.9"], "nothing is called 999.9"),
        (["--cites", "引く"], "引く is no rule or document but a term; it names mtg/term/引く"),
        (["--mentions", "ぺんぎん"], "nothing is called ぺんぎん"),
        (
            ["--mentions", "704"],
            "704 is no term or card but a rule; it names mtg/cr/20231117/ja/704",
        ),
        (["--kind", "page"], "'page' is not one of"),
    ],
)
@pytest.mark.parametrize("command", ["search", "kwic"])
def test_what_is_not_there(
    base: kb.KnowledgeBase, command: str, options: list[str], said: str
) -> None:
    done = run(command, "カード", *options, of=base)
    code = 1 if "nothing is called" in said else 2
    assert (done.exit_code, done.stdout) == (code, "") and said in done.stderr


def test_in_python_too(base: kb.KnowledgeBase) -> None:
    with pytest.raises(kb.QuestionError, match=r"no kind page .there are: outcome"):
        base.search("カード", kind="page")  # type: ignore[arg-type]
    done = run("search", "優先権", "--game", "dm", of=base)
    assert done.exit_code == 1 and "No such passage has 優先権." in done.stderr
