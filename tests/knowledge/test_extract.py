"""Whatever a page says, all that is extracted of it fits together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kb.knowledge import extract
from kb.language.tokens import tokenizer
from scraper import Link, Page, Passage
from scraper.page import Section

PIECES = st.sampled_from(
    (
        "場合、|とき|ならば|が、|ので、|ただし、|その後、|カードを引く|できない|。|は|コストタイプ"
        "|について。|「札」|と呼ばれる|/Draw|（または札）|Ｑ：|Ａ：|\n|\t|rule 1.1|〔札〕|参照|1.1 "
        "|手順|まず|次に|遊戯王では「札」という|《札》|霧の番人 R 水文明 (3)|クリーチャー：水 2000"
        "|if |When |, |前者|後者|)"
    ).split("|")
)
KINDS = st.sampled_from(
    "title heading paragraph item row pre entry gloss quote caption footnote note".split()
)


@st.composite
def pages(draw: st.DrawFn) -> Page:
    passages = []
    for place in range(draw(st.integers(1, 8))):
        text = "".join(draw(st.lists(PIECES, min_size=1, max_size=7)))
        parent = draw(st.none() | st.integers(0, place - 1)) if place else None
        start = draw(st.integers(0, len(text) - 1))
        link = Link(start, draw(st.integers(start + 1, len(text))), "page", "札/Card")
        kind = draw(KINDS)
        passages.append(
            Passage(
                kind,
                text,
                parent=parent,
                depth=draw(st.integers(0, 2)),
                block=draw(st.integers(0, 2)),
                ordinal=draw(st.none() | st.just(place + 1)),
                links=(link,) * draw(st.integers(0, 1)),
            )
        )
    source, game = draw(
        st.sampled_from(
            [
                ("mtgwiki", "mtg"),
                ("yugioh-wiki", "ygo"),
                ("dmwiki", "dm"),
                ("wisdom-guild", "mtg"),
                ("rulebook", "mtg"),
                ("pukiwiki", None),
            ]
        )
    )
    return Page(
        source=source,
        name="札",
        url="",
        game=game,
        title="札",
        lang=draw(st.sampled_from(["ja", "en"])),
        edition=draw(st.none() | st.just("20300101")),
        sections=(Section(""),),
        passages=tuple(passages),
    )


@given(pages())
def test_facts_fit_together(page: Page) -> None:
    claims = extract(page, tokenizer())
    own = {one.node.id for one in claims.parts}
    texts = {one.node.id: one.node.text or "" for one in claims.parts if one.node.kind == "passage"}
    assert len(own) == len(claims.parts)
    for one in claims.parts:
        assert one.parent is None or one.parent in own
        assert one.heading is None or one.heading in texts
        if one.node.kind == "outcome":
            earlier = (one.node.details or {})["exception_to"]
            assert earlier is None or earlier != one.node.id
    for want in claims.edges:
        assert 0 <= want.start <= want.end <= len(texts[want.passage])
    for label in claims.labels:
        assert label.passage is None or label.passage in texts
