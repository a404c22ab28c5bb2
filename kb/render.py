"""Answers as a person reads them in a terminal."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from kb import (
        Alignment,
        Answers,
        Audit,
        Change,
        Comparison,
        Demonstration,
        Diff,
        Edge,
        Exported,
        Hits,
        KnowledgeBase,
        Lines,
        Node,
        Outcomes,
        Paths,
        Problem,
        Procedures,
        Refs,
        Report,
        Shown,
        Stats,
        Terms,
        Trace,
    )

_LONGEST = 160


# -- pieces -------------------------------------------------------------------------------


def _dim(text: str) -> str:
    return click.style(text, dim=True)


def _bold(text: str) -> str:
    return click.style(text, bold=True)


def name_of(node: Node) -> str:
    """What a person calls a node."""
    if node.kind == "rule":
        heading = f" {node.label}" if node.label else ""
        return f"{node.number}{heading}"
    if node.kind == "ruling":
        return f"「{_short(node.label or '', 60)}」"
    return node.label or node.id


def _where(node: Node) -> str:
    """Where a node stands: kind, game, edition, language, source."""
    edition = node.edition and f"edition {node.edition}"
    parts = [node.kind, node.game, edition, node.date, node.lang, node.source]
    return " · ".join(part for part in parts if part)


def _short(text: str, most: int = _LONGEST) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _notice(notices: set[str]) -> None:
    for notice in sorted(notices):
        for line in notice.splitlines():
            click.echo(_dim(f"Note: {line}"))


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(text)  # page text is never read as console markup


# -- build --------------------------------------------------------------------------------


@contextmanager
def progress() -> Iterator[Callable[[str], None] | None]:
    """A progress line on standard error while a build runs, if a person is looking."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:.0f} files"), TimeElapsedColumn(),
               TextColumn("{task.description}"))  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def tell(place: str) -> None:
            bar.update(task, advance=1, description=_short(place, 60))

        yield tell


def built(report: Report) -> None:
    """What a build gave."""
    nodes = ", ".join(f"{n} {kind}{'s' * (n != 1)}" for kind, n in report.nodes.items())
    edges = ", ".join(f"{n} {kind}" for kind, n in report.edges.items())
    click.echo(f"{_bold(report.kb)}: {report.pages} pages in {report.seconds} s")
    click.echo(f"  nodes  {nodes}")
    click.echo(f"  edges  {edges}; {report.dangling} dangling")
    for warn in report.warnings[:12]:
        click.echo(click.style(f"  ! {warn.where}: {warn.what}", fg="yellow"), err=True)
    if len(report.warnings) > 12:
        more = len(report.warnings) - 12
        click.echo(f"  ! {more} more; `sansho audit` lists them", err=True)


# -- show ---------------------------------------------------------------------------------


def shown(result: Shown, ref: str, base: KnowledgeBase) -> None:
    """The nodes that a reference names."""
    if not result.matches:
        near = f" Near it: {'、'.join(result.near)}" if result.near else ""
        click.echo(f"Nothing is called {ref}.{near}", err=True)
    for place, node in enumerate(result.matches):
        if place:
            click.echo()
        _node(node, base)
    _notice({node.notice for node in result.matches if node.notice})


def _node(node: Node, base: KnowledgeBase) -> None:
    click.echo(f"{_bold(name_of(node))}  {_dim(_where(node))}")
    for place, label in enumerate(one for one in node.labels if one.text != node.label):
        by = _dim(f" by {label.passages[0]}") if label.passages else ""
        lead = "also" if not place else ""
        click.echo(f"  {lead:<8} {label.text} ({label.lang}, {label.role}){by}")
    if node.kind == "ruling":
        click.echo(indent(f"Q: {node.label}\nA: {node.text or '(none given)'}", "  "))
    elif node.text and node.text != node.label:
        click.echo(indent(node.text, "  "))
    for wording in (node.details or {}).get("wordings", ()):
        _worded(node.text or "", wording)
    if node.kind == "card":
        _printed(node.details or {})
    if node.kind == "page":
        for passage in base.opening(node.id):
            click.echo(f"  {_short(passage.text or '')}")
    if node.kind in {"rule", "term", "card"}:
        _edges_in_brief(node, base)
    if node.url:
        click.echo(f"  {_dim(node.url)}")
    click.echo(f"  {_dim(node.id)}")


def _worded(text: str, wording: Mapping[str, Any]) -> None:
    """How another page words a rule, by what differs."""
    other = wording["text"]
    changes = [f"「{text[a:b]}」→「{other[c:d]}」" for a, b, c, d in wording["differs"][:6]]
    more = " …" if len(wording["differs"]) > 6 else ""
    click.echo(f"  otherwise in {wording['page']}: {', '.join(changes)}{more}")


def _printed(details: Mapping[str, Any]) -> None:
    """What is printed on a card beside its text, face by face."""
    values = {key: value for key, value in details.items() if key not in {"faces", "text"}}
    said = [f"{key.replace('_', ' ')} {', '.join(value) if isinstance(value, list) else value}"
            for key, value in values.items()]  # fmt: skip
    if said:
        click.echo(indent("; ".join(said), "  "))
    for face in details.get("faces", ()):
        _printed(face)


def _edges_in_brief(node: Node, base: KnowledgeBase) -> None:
    # A term of everyday is mentioned in thousands of places: `refs` lists them.
    kinds = ["cites", "part_of", "defines"] + ["mentions"] * (node.kind == "card")
    found = base.refs(node.id, kinds=kinds)
    said: dict[tuple[str, str], None] = {}
    for edge in found.edges:
        out = edge.source == node.id
        other = found.nodes.get((edge.target if out else edge.source) or "")
        name = name_of(other) if other else f"{edge.target_label} (not loaded)"
        if edge.kind == "cites":
            said["cites" if out else "cited by", name] = None
        elif edge.kind == "part_of":
            said["part of" if out else "parts", name] = None
        elif edge.kind == "defines":
            said["defined", edge.source] = None
        elif other and other.kind == "ruling":
            said["asked", f"{name} ({edge.source})"] = None
    for kind in ("part of", "parts", "cites", "cited by", "defined", "asked"):
        names = [name for k, name in said if k == kind]
        if names:
            click.echo(f"  {kind:<8} {', '.join(names[:12])}{' …' if len(names) > 12 else ''}")


_PLACE, _KEY_AND_PLACE = 22, 34  # cells of a line of the concordance


# -- kwic ---------------------------------------------------------------------------------


def concordance(result: Lines, width: int) -> None:
    """A line a place, the words one below the other."""
    if not result.lines:
        click.echo("No passage has these words.", err=True)
        return
    from rich.cells import cell_len, set_cell_size

    # Japanese letters take two cells of a terminal: the keys stand below each other by cells.
    side = max(10, min(2 * width, (_console().width - _KEY_AND_PLACE) // 2))
    for line in result.lines:
        left = line.left
        while cell_len(left) > side:
            left = left[1:]
        right = set_cell_size(line.right, side)
        gap = " " * (side - cell_len(left))
        place = _dim(set_cell_size(name_of(line.node), _PLACE).rstrip())
        click.echo(f"{gap}{left} {_bold(line.key)} {right} {place}")
    _notice({line.node.notice for line in result.lines if line.node.notice})


# -- ask ----------------------------------------------------------------------------------


def answered(result: Answers) -> None:
    """The passages that answer a question, each with the rules that it cites, and why."""
    if not result.answers:
        click.echo("The pages do not say.", err=True)
    for one in result.answers:
        if one.rank > 1:
            click.echo()
        click.echo(f"{one.rank}. {_bold(name_of(one.node))}  {_dim(_where(one.node))}")
        click.echo(indent(one.passage.text or "", "   "))
        if cited := dict.fromkeys(edge.target_label for edge in one.citations):
            click.echo(f"   cites {', '.join(cited)}")
        click.echo(_dim(f"   {'; '.join(one.why)}"))
        click.echo(_dim(f"   {one.passage.id}"))
    _notice({one.node.notice for one in result.answers if one.node.notice})


# -- compare ------------------------------------------------------------------------------


def compared(result: Comparison) -> None:
    """One concept, a game a block: its names, how it is defined, why it is the same."""
    for place, row in enumerate(result.rows):
        if place:
            click.echo()
        names = [name for name in (row.ja, row.reading, row.en) if name]
        click.echo(f"{_bold(' / '.join(dict.fromkeys(names)))}  {_dim(row.game or '')}")
        if row.definition:
            click.echo(indent(row.definition, "  "))
        if row.relation:
            click.echo(f"  {row.relation}: {row.basis}")
        click.echo(
            _dim(f"  {row.term.id}" + (f" by {row.evidence.passage}" if row.evidence else ""))
        )
    _notice({row.term.notice for row in result.rows if row.term.notice})


# -- refs, path -----------------------------------------------------------------------------


def _end(node_id: str | None, label: str, nodes: Any) -> str:
    node = nodes.get(node_id or "")
    if node is None:
        return label if node_id is None else node_id
    return name_of(node) if node.kind != "passage" else node.id


def references(result: Refs) -> None:
    """The edges at a node, by the passages that state them, the strongest kinds first."""
    node = result.node
    click.echo(f"{_bold(name_of(node))}  {_dim(_where(node))}")
    if not result.edges:
        click.echo("No edges of these kinds.", err=True)
        return
    from kb import STRENGTH

    table = _table("", "from", "to", "words")
    rows: Counter[tuple[str, str, str, str]] = Counter()
    for edge in sorted(result.edges, key=lambda edge: STRENGTH[edge.kind]):
        start = _end(edge.source, edge.source, result.nodes)
        end = _end(edge.target, f"{edge.target_label} (not loaded)", result.nodes)
        rows[edge.kind, start, end, _said(edge)] += 1
    here = ""
    for (kind, start, end, words), times in rows.items():
        quoted = words + (f" ×{times}" if times > 1 else "")
        table.add_row(kind if kind != here else "", *map(_plain, (start, end, quoted)))
        here = kind
    _console().print(table)
    passages = dict.fromkeys(edge.evidence.passage for edge in result.edges)
    for passage in list(passages)[:8]:
        click.echo(_dim(f"in {passage}"))
    if len(passages) > 8:
        click.echo(_dim(f"and {len(passages) - 8} more passages (--json names each)"))
    for reason in dict.fromkeys(edge.reason for edge in result.edges if edge.reason):
        click.echo(f"not loaded: {reason}")
    _notice({n.notice for n in result.nodes.values() if n.notice})


def _said(edge: Edge) -> str:
    """The words that an edge rests on, and what else is known of it."""
    details = edge.details or {}
    remarks = [details.get(name) for name in ("how", "relation", "basis")]
    remarks += [f"headed {details['headed']} there"] if "headed" in details else []
    said = ", ".join(remark for remark in remarks if remark and remark != "see")
    return f"「{_short(edge.evidence.text, 48)}」" + (f" ({said})" if said else "")


def ways(result: Paths, start: str, end: str) -> None:
    """The paths between two nodes."""
    if not result.paths:
        click.echo(f"No path from {start} to {end}.", err=True)
    from kb import Node

    notices: set[str] = set()
    for place, way in enumerate(result.paths, 1):
        click.echo(_bold(f"{place}. {len(way) // 2} step{'s' if len(way) > 3 else ''}"))
        before: Node | None = None
        for step in way:
            if isinstance(step, Node):
                click.echo(f"  {name_of(step)}  {_dim(_where(step))}")
                before = step
                notices |= {step.notice} if step.notice else set()
            else:
                _step(step, before)
    _notice(notices)


def _step(edge: Edge, before: Node | None) -> None:
    forward = before is not None and edge.source == before.id
    arrow = f"──{edge.kind}──▶" if forward else f"◀──{edge.kind}──"
    words = f"「{_short(edge.evidence.text, 60)}」"
    click.echo(f"    {arrow} {words}  {_dim(edge.evidence.passage)}")


# -- search, demo ---------------------------------------------------------------------------


def found(result: Hits, words: str) -> None:
    """The passages that a search found."""
    if not result.hits:
        click.echo(f"No passage has {words}.", err=True)
    for hit in result.hits:
        _hit(hit.node, hit.snippet, hit.spans)
    _notice({hit.node.notice for hit in result.hits if hit.node.notice})


def _hit(node: Node, snippet: str, spans: tuple[tuple[int, int], ...]) -> None:
    shown, at = "", 0
    for start, end in spans:
        shown += snippet[at:start] + click.style(snippet[start:end], bold=True, fg="green")
        at = end
    name = name_of(node) if node.kind == "rule" else node.id
    where = _where(node) if node.kind == "rule" else node.source or ""
    click.echo(f"{_bold(name)}  {_dim(where)}")
    click.echo("  " + (shown + snippet[at:]).replace("\n", " "))


def demo(result: Demonstration, report: Report, base: KnowledgeBase) -> None:
    """The newcomer's first minute."""
    built(report)
    click.echo(f"\n{_bold('Q')} {result.question}")
    for place, answer in enumerate(result.answers, 1):
        hit = answer.hit
        click.echo(f"\n{place}. ", nl=False)
        _hit(hit.node, hit.snippet, hit.spans)
        for edge in answer.citations:
            target = edge.target or f"{edge.target_label} (not in the sample)"
            click.echo(f"     cites {target} 「{edge.evidence.text}」")
        if hit.node.url:
            click.echo(f"     {_dim(hit.node.url)}")
    click.echo()
    _notice({base.notice})
    click.echo(f"\nNext:  sansho show 121.4 --kb {report.kb}")
    click.echo(f"       sansho path 引く 状況起因処理 --kb {report.kb}")
    click.echo("       sansho build FOLDER     your own pages; `sansho --help` lists the rest")


# -- editions and languages -----------------------------------------------------------------


def differences(result: Diff, notice: str) -> None:
    """What changed between two editions."""
    click.echo(
        _bold(f"{result.before} → {result.after}") + _dim(f"  {result.game} · {result.lang}")
    )
    for change in result.changes:
        _changed(change)
    counts = Counter(change.kind for change in result.changes)
    said = [f"{number} {kind}" for kind, number in sorted(counts.items())]
    click.echo(_bold(", ".join([*said, f"{result.same} same"])))
    _notice({notice} if notice else set())


def _changed(change: Change) -> None:
    """A rule: its numbers, what became of it, and its text with what differs marked."""
    before, after = change.before, change.after
    numbers = list(dict.fromkeys(side.number for side in (before, after) if side))
    click.echo(f"{_bold(' → '.join(numbers))}  {_dim(change.kind)}")
    if change.kind == "moved" and after:
        click.echo(f"    {_short(after.text)}")
        return
    sides = ((before, "- ", "red", 0), (after, "+ ", "green", 2))
    for side, sign, colour, at in sides:
        if side:
            marked = _marked(side.text, [span[at : at + 2] for span in change.spans], colour)
            click.echo(f"  {click.style(sign, fg=colour)}{marked}")
    if before and after and not change.spans:
        click.echo(_dim("    (only the width of letters)"))


def _marked(text: str, spans: Iterable[tuple[int, ...]], colour: str) -> str:
    """A text with what differs in colour; brackets serve where there is none."""
    shown, at = "", 0
    for start, end in spans:
        if start < end:
            shown += text[at:start] + click.style(f"[{text[start:end]}]", bold=True, fg=colour)
            at = end
    return " ".join((shown + text[at:]).split())


def history(result: Trace, notice: str) -> None:
    """One rule through the editions."""
    click.echo(_dim(f"{result.game} · {result.lang}"))
    for place, one in enumerate(result.history):
        kind = "first here" if not place else one.kind
        click.echo(f"{_bold(one.edition)}  {one.number}  {_dim(kind)}")
        if one.text is not None and one.kind not in {"same", "moved"}:
            click.echo(indent(one.text, "    "))
    _notice({notice} if notice else set())


def aligned(result: Alignment, notice: str) -> None:
    """Two languages side by side, then what does not agree."""
    table = _table("rule", *result.langs)
    edition = ""
    for pair in result.pairs:
        if f"{pair.game} {pair.edition}" != edition:
            edition = f"{pair.game} {pair.edition}"
            table.add_row(_plain(edition))
        table.add_row(pair.number, *(_plain(pair.texts[lang]) for lang in result.langs))
    if result.pairs:
        _console().print(table)
    missing, other = _by_kind(result.problems)
    for problem in other:
        click.echo(f"! {problem.edition} {problem.number}: {problem.what}")
    for (edition, lang), numbers in missing.items():
        more = f" and {len(numbers) - 20} more" if len(numbers) > 20 else ""
        click.echo(f"! {edition}: {len(numbers)} rules in {lang} alone: "
                   f"{', '.join(numbers[:20])}{more}")  # fmt: skip
    click.echo(
        _bold(f"{_many(len(result.pairs), 'pair')}, {_many(len(result.problems), 'problem')}")
    )
    _notice({notice} if notice else set())


def _by_kind(
    problems: Iterable[Problem],
) -> tuple[dict[tuple[str, str], list[str]], list[Problem]]:
    """The missing rules together, by edition and the language that has them; other problems."""
    missing: dict[tuple[str, str], list[str]] = {}
    other = []
    for problem in problems:
        if problem.kind == "missing":
            missing.setdefault((problem.edition, "".join(problem.only)), []).append(problem.number)
        else:
            other.append(problem)
    return missing, other


# -- terms ----------------------------------------------------------------------------------


def procedures(result: Procedures, ref: str) -> None:
    """What is done in an order."""
    if not result.procedures:
        click.echo(f"No procedure belongs to {ref}.", err=True)
    for found in result.procedures:
        click.echo(f"{_bold(_short(found.node.label or ''))}  {_dim(found.evidence.passage)}")
        for step in found.steps:
            click.echo(f"  {step.n}. {' '.join(step.text.split())}")
    _notice({found.node.notice for found in result.procedures if found.node.notice})


def stated(result: Outcomes, ref: str) -> None:
    """What follows on which condition, as a table; a subject stands once."""
    if not result.outcomes:
        click.echo(f"No outcome is stated of {ref}.", err=True)
        return
    table = _table("", "subject", "condition", "result", "modality")
    row = {found.node.id: n for n, found in enumerate(result.outcomes, 1)}
    before, page = "", ""
    for n, found in enumerate(result.outcomes, 1):
        if found.evidence.page != page:
            page = found.evidence.page
            table.add_row("", _plain(page), style="dim")
            before = ""
        subject = found.subject if found.subject != before else ""
        before = found.subject
        said = found.modality
        if found.exception_to:
            to = row.get(found.exception_to)
            said += f", exception to {to if to else f'「{_short(found.exception_to, 30)}」'}"
        table.add_row(str(n), *map(_plain, (subject, found.condition, found.result, said)))
    _console().print(table)
    _notice({found.node.notice for found in result.outcomes if found.node.notice})


def glossary(result: Terms, notice: str) -> None:
    """All terms: name, reading, English."""
    if not result.terms:
        click.echo("No such terms.", err=True)
        return
    table = _table("game", "term", "reading", "English", "source")
    for term in result.terms:
        english = next((label.text for label in term.labels if label.lang == "en"), "")
        row = (term.game or "", name_of(term), term.reading or "", english, term.source or "")
        table.add_row(*map(_plain, row))
    _console().print(table)
    click.echo(_bold(_many(len(result.terms), "term")))
    _notice({notice} if notice else set())


# -- the whole ------------------------------------------------------------------------------


def counts(result: Stats, notice: str) -> None:
    """How much there is."""
    groups = (("nodes", result.kinds), ("edges", result.edges), ("sources", result.sources),
              ("games", result.games), ("editions", result.editions))  # fmt: skip
    table = _table("", "what", "how many")
    table.columns[2].justify = "right"
    for title, group in groups:
        for place, (what, number) in enumerate(group.items()):
            table.add_row(title if not place else "", _plain(what), f"{number:,}")
    table.add_row("dangling", "edges", f"{result.dangling:,}")
    _console().print(table)
    _notice({notice} if notice else set())


def audited(result: Audit) -> None:
    """Where every character went."""
    table = _table("characters", "how many")
    table.columns[1].justify = "right"
    table.add_row("kept in passages", f"{result.kept:,}")
    for reason, number in result.left_out.items():
        table.add_row(_plain(f"left out: {reason}"), f"{number:,}")
    table.add_row("lost", f"{result.lost:,}")
    table.add_row("in all", f"{result.chars:,}")
    _console().print(table)
    reasons: dict[str, int] = {}
    for edge in result.dangling:
        key = f"{edge.kind} → {edge.target_label}"
        reasons[key] = reasons.get(key, 0) + 1
    click.echo(f"{len(result.dangling)} edges dangle, to {len(reasons)} targets:")
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    for key, number in ranked[:20]:
        click.echo(f"  {number:>4}  {key}")
    if len(ranked) > 20:
        click.echo(f"        and {len(ranked) - 20} more (--json lists every one with its reason)")
    for warn in result.warnings:
        click.echo(click.style(f"! {warn.where}: {warn.what}", fg="yellow"))


def exported(result: Exported) -> None:
    """What an export wrote."""
    click.echo(f"{result.out}: {result.nodes} nodes, {result.edges} edges ({result.format})")
