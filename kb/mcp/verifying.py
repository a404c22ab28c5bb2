"""The tool `verify`: which citations and quotations of a text are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from kb import KnowledgeBase
from kb.mcp.citing import Edition, Game, Lang, Skip, also_lines, listed, node_line, page_of
from kb.mcp.replies import Reply, name, part_of, quote, reply, said
from kb.wording import counted

if TYPE_CHECKING:
    from kb import Claim, Verification

# Characters, by hand: less than the explorer takes in its ten seconds, and more than a model writes
# at once.
_LONGEST_TEXT = 60_000
# Characters of what a rule says, by hand, as of changes: 25 claims, of which few are wrong, fit an
# answer.
_LONGEST_WORDS = 700
_Text = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_LONGEST_TEXT,
        description="The text, such as your answer before you give it: plain or Markdown, with its "
        "rule numbers and its quotations in quotation marks or behind >.",
    ),
]
_OnlyWrong = Annotated[bool, Field(description="Leave out the claims that are right.")]
# By hand: right claims take two lines each, so that sixty may fit an answer.
_MostClaims = Annotated[int, Field(ge=1, le=60, description="How many claims at most.")]


def verify(
    base: KnowledgeBase,
    text: _Text,
    game: Game = None,
    edition: Edition = None,
    lang: Lang = None,
    only_wrong: _OnlyWrong = False,
    most: _MostClaims = 25,
    skip: Skip = 0,
) -> Reply:
    """Check a text before you give it to a person: says of each rule number cited and of each
    quotation whether it is exact, exact but for typography, nearly right (with what should stand
    there), contradicts it by a word that turns the sense, is of another edition (which), not found,
    or not loaded, so that nobody can tell; with the rule's own words. It finds numbers that do not
    exist and words that no rule has; whether the rule says what you conclude from it, you must read
    yourself."""
    found = base.verify(text, game=game, edition=edition, lang=lang)
    claims = [claim for claim in found.claims if claim.is_wrong or not only_wrong]
    part = part_of(claims, lambda claim: _claim_lines(claim, base), skip, most, "claims")
    lines = [_sums(found), *(f"held against {said(each, 200)}" for each in found.held_against)]
    if found.left_out:
        lines.append(f"{counted(found.left_out, 'claim')} not looked at; verify the text in parts")
    lines += ["", *part.lines, *also_lines(found.also)]
    document = found.as_json() | {"total": len(claims), "more": part.more}
    of_claims = dict(zip(map(id, found.claims), document["claims"], strict=True))
    document["claims"] = [
        of_claims[id(claim)] | {"message": said(claim.said, 400) if claim.said else ""}
        for claim in claims[skip : part.stop]
    ]
    nodes = [claim.node for claim in found.claims if claim.node]
    return reply(lines, document, [base.notice, *(node.notice for node in nodes)])


def _sums(found: Verification) -> str:
    """Return whether all claims stand, and how many there are of each verdict: `not all stand: 3
    claims: 2 exact, 1 not found`; a sentence that says so if there are none."""
    if not found.claims:
        return "the text cites no rule and quotes nothing: there is nothing to check"
    kinds = ", ".join(f"{count:,} {verdict}" for verdict, count in found.counts.items())
    stand = "all stand" if all(claim.stands for claim in found.claims) else "none is wrong"
    stand = stand if found.stands else "not all stand"
    return f"{stand}: {counted(len(found.claims), 'claim')}: {kinds}"


def _claim_lines(claim: Claim, base: KnowledgeBase) -> list[str]:
    """Return the lines for a claim: its line, verdict, kind and words, what is said of it, its
    source, and the words that should stand there, or of a citation those of the rule."""
    lines = [f"line {claim.line}: {claim.verdict} {claim.kind}: {name(claim.text, 300)}"]
    if claim.said:
        lines.append(said(claim.said, 400))
    if claim.node:
        lines.append(f"source: {node_line(claim.node, page_of(base, claim.node))}")
    if claim.heading and claim.heading not in lines[-1]:
        lines.append(f"under the heading {name(claim.heading)}")
    if claim.expected and not claim.stands:
        lines += ["what should stand there:", *quote(claim.expected, _LONGEST_WORDS)]
    if claim.rule and claim.rule != claim.expected and claim.kind != "quotation":
        lines += quote(claim.rule, _LONGEST_WORDS)
    if claim.also:
        lines.append(f"the number is also {listed(map(name, claim.also))}")
    return lines
