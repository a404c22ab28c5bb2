"""The commands about one thing and its references: show, refs, top, path and draw."""

from __future__ import annotations

from typing import Any

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import NOTHING_FOUND, fail, print_json, print_result, say


@click.command(cls=Command)
@click.argument("ref")
@click.option("--tree", is_flag=True, help="Show a rule with all its sub-rules, a page whole.")
@options.filters
@options.common
def show(ref: str, tree: bool, kb_file: str, as_json: bool, **filters: Any) -> None:
    """Look up a rule, term, card or page and show its text.

    REF is a rule's number (121.4), a term or card by any of its names (引く, draw), a page's
    title or address, or an id. Everything that it names is shown. Editions of a rule with the same
    text are shown once, and older texts that differ are named.

    \b
    A section of a page, and a page from its beginning to its end:
      sansho show 'mtgwiki/引く#ルール'
      sansho show mtgwiki/引く --tree
    """
    with public.open(kb_file) as base:
        shown = base.show(ref, tree=tree, **filters)
        if not shown.matches:
            if as_json:
                print_json(shown.as_json())
            assert shown.why_none
            for reason in shown.taken_as:
                say(reason)
            fail(shown.why_none, NOTHING_FOUND)
        print_result(
            shown,
            as_json,
            "lookup.print_matches",
            ref=ref,
            base=base,
            tree=tree,
            filters=filters,
        )


@click.command(cls=Command)
@click.argument("ref")
@options.most(
    "How many references at most in each direction; --json has all. With --after at most "
    "10,000 edges.",
    40,
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Show also parts, passages that give the text, and what it says of itself.",
)
@click.option(
    "--after",
    metavar="PLACE",
    help="Read only --max edges, for a node with very many: the first of all (start), or those "
    "behind the place that the part before gives (`more`). Parts and the passages that give the "
    "text are listed, and followed with --depth, only with --all or if --kind names them.",
)
@options.edge_options
@options.common
def refs(
    ref: str,
    most: int,
    everything: bool,
    after: str | None,
    kb_file: str,
    as_json: bool,
    **options: Any,
) -> None:
    """List what REF refers to and what refers to it.

    Each reference (edge) is shown with its evidence: the words that it rests on. A rule is taken
    in all its editions and languages; references that differ only by edition are one. For what
    REF may be see `sansho show --help`.

    \b
    All rules and passages that depend on rule 704, directly or through others:
      sansho refs 704 --direction in --kind cites --with-parts --depth 3
    \b
    Of a term that tens of thousands mention, the first fifty edges, and how many there are:
      sansho refs カード --max 50 --after start --json
    """
    if after is not None:
        options |= {"most": most, "after": after}
        if everything and not options["kinds"]:
            options["kinds"] = list(public.STRENGTH)
    with public.open(kb_file) as base:
        found = base.refs(ref, **options)
        print_result(
            found,
            as_json,
            "refs.print_refs",
            bool(found.edges),
            base=base,
            with_parts=options["with_parts"],
            most=most,
            everything=everything,
        )


@click.command(cls=Command)
@click.option("--cited", is_flag=True, help="Count citations (default).")
@click.option("--mentioned", is_flag=True, help="Count mentions of names, in Japanese text.")
@click.option("--linked", is_flag=True, help="Count links.")
@click.option("--kind", help="Only nodes of this kind, e.g. rule, term, card, page.")
@click.option("--under", metavar="RULE", help="Only this rule and its sub-rules, e.g. 702.")
@options.most("How many at most.", 20, 10_000)
@options.filters
@options.common
def top(
    cited: bool, mentioned: bool, linked: bool, kb_file: str, as_json: bool, **arguments: Any
) -> None:
    """Rank what is cited, mentioned or linked most often.

    A rule that is cited counts once for all its editions and languages, by how many rules, entries
    of glossaries and pages cite it: as refs lists them, entries once in each language. Of what is
    mentioned or linked, the newest edition of each game counts, unless --edition names another.

    \b
    The keyword abilities that rules cite most often:
      sansho top --under 702
    The terms that are mentioned most often:
      sansho top --mentioned --kind term
    """
    rankings: dict[public.Ranking, bool] = {
        "cited": cited, "mentioned": mentioned, "linked": linked,
    }  # fmt: skip
    chosen = [name for name, is_chosen in rankings.items() if is_chosen]
    if len(chosen) > 1:
        raise click.UsageError(f"give one of {' and '.join(f'--{name}' for name in chosen)}")
    with public.open(kb_file) as base:
        found = base.top(*chosen, **arguments)
        print_result(found, as_json, "refs.print_top", bool(found.nodes))


@click.command(cls=Command)
@click.argument("start", metavar="A")
@click.argument("end", metavar="B")
@options.most("How many paths at most.", 3, 100)
@options.filters
@options.common
def path(start: str, end: str, most: int, kb_file: str, as_json: bool, **filters: Any) -> None:
    """Show how A and B are connected: the paths that cost least.

    A and B are as REF in `sansho show --help`. Each edge of a path is shown with the words that it
    rests on; paths that differ only by edition are one. Citing and defining cost little, links
    more, mentions most; and an edge costs more, the more edges of its kind its nodes have.
    """
    with public.open(kb_file) as base:
        found = base.path(start, end, most=most, **filters)
        print_result(
            found,
            as_json,
            "refs.print_paths",
            bool(found.paths),
            base=base,
            start=start,
            end=end,
        )


@click.command(cls=Command)
@click.argument("ref")
@click.option("--out", required=True, metavar="FILE", help="The file to write: .svg or .png.")
@options.most(
    "How many nodes to show at most; those at the strongest edges come first.", 24, 200, lowest=2
)
@options.edge_options
@options.common
def draw(ref: str, out: str, most: int, kb_file: str, as_json: bool, **options: Any) -> None:
    """Draw REF and the nodes around it, as a picture with a legend.

    For what REF may be see `sansho show --help`. An SVG needs nothing else, a PNG a renderer and a
    font: pip install 'sansho[draw]'.
    """
    with public.open(kb_file) as base:
        picture = base.draw(ref, most=most, **options)
        picture.save(out)
        print_result(picture, as_json, "checked_texts.print_picture", out=out)
