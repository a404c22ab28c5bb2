"""The options that several commands share, as decorators of the commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import click
from click.core import ParameterSource

import kb as public

Command = TypeVar("Command", bound=Callable[..., Any])

DEMO_FILE = "sansho-demo.db"  # what `sansho demo` makes, for the commands after it

_AS_OF = "as_of"
_FILTERS = {
    "source": "Only this source, e.g. mtgwiki.",
    "lang": "Only this language, e.g. ja.",
    "edition": "Only this edition of a rulebook, e.g. 20231117.",
    "game": "Only this game, e.g. mtg.",
}
_REF_FILTERS = {  # where a REF has edges to nodes of any source, language and edition
    "source": "Take REF from this source only, e.g. mtgwiki; its edges are not narrowed.",
    "lang": "Take REF in this language only, e.g. ja; its edges are not narrowed.",
    "edition": "Take REF in this edition only, e.g. 20231117; its edges are not narrowed.",
    "game": "Take REF in this game only, e.g. mtg; its edges are not narrowed.",
}


class WholeNumber(click.IntRange):
    """A whole number within a range, as the value of an option."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; BadParameter, which says from what to what, if it is none or outside
        the range."""
        try:
            number: int = super().convert(value, param, ctx)
        except click.BadParameter:
            limit = f" to {self.max:,}" if self.max is not None else ""
            self.fail(f"{value!r}: give a whole number from {self.min}{limit}.", param, ctx)
        return number


class EditionOption(click.Option):
    """The option `--edition`, which `--as-of DATE` may stand for: the edition in force then."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add both options to the parser."""
        super().add_to_parser(parser, ctx)
        parser.add_option(self, ["--as-of"], dest=_AS_OF)

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        """Return the value, and what is left of the arguments. Of `--as-of DATE` the value is `as
        of DATE`, and wins where `--edition` is given, too."""
        if _AS_OF in opts:
            opts = {**opts, str(self.name): f"as of {opts[_AS_OF]}"}
        return super().handle_parse_result(ctx, opts, args)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return what the help says: both options, and what they are for."""
        return "--edition TEXT / --as-of DATE", f"{self.help} Or the one in force at a date."


def common(command: Command) -> Command:
    """Add the options of commands that answer from a knowledge base. The command gets `kb_file` (a
    path as text) and `as_json` (a bool)."""
    return knowledge_base(json_document(command))


def knowledge_base(command: Command) -> Command:
    """Add the option that names the knowledge base. The command gets `kb_file` (a path as text)."""
    return click.option(
        "--kb",
        "kb_file",
        default="sansho.db",
        envvar="SANSHO_KB",
        show_default=True,
        show_envvar=True,
        metavar="FILE",
        callback=_remember_file,
        help="The file of the knowledge base.",
    )(command)


def is_named(parameter: str) -> bool:
    """Whether a person gave the value of a parameter of the command that runs, by an option or by
    the environment, be it that of the default; False, too, where it has no such parameter."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source not in (None, ParameterSource.DEFAULT)


def json_document(command: Command) -> Command:
    """Add the option for one JSON document instead of text. The command gets `as_json` (a bool)."""
    return click.option(
        "--json",
        "as_json",
        is_flag=True,
        callback=_remember_json,
        help="Print one JSON document instead of text.",
    )(command)


def _remember_file(context: click.Context, option: click.Parameter, value: str) -> str:
    """Return which knowledge base is used, and keep it where the handler of errors finds it
    (`meta["kb"]`).

    Where nobody named one and there is none, that is the one that `sansho demo` left there, if it
    did, and standard error says so; but not for `build`, which would overwrite it.
    """
    is_default = context.get_parameter_source(option.name or "") is ParameterSource.DEFAULT
    if is_default and context.command.name != "build" and not Path(value).exists():
        demo = Path(DEMO_FILE)
        if demo.is_file():
            click.echo(f"{value}: not here; this is {demo}, the bundled sample", err=True)
            value = str(demo)
    context.meta["kb"] = value
    return value


def _remember_json(context: click.Context, _option: click.Parameter, value: bool) -> bool:
    """Return the value, and keep it where the handler of errors finds it (`meta["json"]`)."""
    context.meta["json"] = value
    return value


def most(
    text: str, default: int, highest: int | None = None, lowest: int = 1, metavar: str | None = None
) -> Callable[[Command], Command]:
    """Return a decorator that adds the option for the length of a list, which the command gets as
    `most`. text: what the help says."""
    return click.option(
        "--max",
        "most",
        type=WholeNumber(lowest, highest),
        default=default,
        show_default=True,
        metavar=metavar,
        help=text,
    )


def edition(text: str) -> Callable[[Command], Command]:
    """Return a decorator that adds the option for an edition. text: what the help says of it."""
    return click.option("--edition", cls=EditionOption, help=text)


def filters(command: Command) -> Command:
    """Add the options that narrow what a REF may mean: the fields of `kb.Filters`. The command gets
    `game`, `edition`, `lang` and `source`, each None if it is not given."""
    return _with_texts(_FILTERS, command)


def _with_texts(texts: Mapping[str, str], command: Command) -> Command:
    """Add options to a command, given as {name: help}; `edition` is one with `--as-of`."""
    for name, text in texts.items():
        kind = EditionOption if name == "edition" else click.Option
        command = click.option(f"--{name}", help=text, cls=kind)(command)
    return command


def decisions(command: Command) -> Command:
    """Add the option for a file of a person's decisions on names. The command gets `decisions`: its
    path as text, or None."""
    text = (
        "A file of your own decisions on names, which win: TOML, CSV, TBX, TMX or a glossary of "
        "OmegaT; see docs/tasks/a-term-in-two-languages.md."
    )
    return click.option("--decisions", metavar="FILE", help=text)(command)


def hints(command: Command) -> Command:
    """Add the options that tell a build what can't be detected in its sources. The command gets
    `site`, `sites`, `game`, `lang`, `edition` and `names`, each None if it is not given."""
    command = click.option(
        "--names",
        type=click.Choice(["terms", "cards"]),
        help="What the lists of names among the sources name, where they do not say it.",
    )(command)
    said = "of all the sources, whatever they say, e.g."
    texts = {
        "edition": f"The edition {said} 20231117.",
        "lang": f"The language {said} ja.",
        "game": f"The game {said} mtg.",
    }
    command = _with_texts(texts, command)
    command = sites(command)
    text = (
        "The site or kind of the sources, where an address does not say it, e.g. dmwiki, rulebook."
    )
    return click.option("--site", help=text)(command)


def corrections(command: Command) -> Command:
    """Add the option that names a file of a person's corrections of which rules are the same. The
    command gets `corrections`: its path as text, or None."""
    text = (
        "A TOML file that says which rules are one rule, and which are not; see "
        "docs/tasks/compare-editions.md."
    )
    return click.option("--corrections", metavar="FILE", help=text)(command)


def sites(command: Command) -> Command:
    """Add the option that names a file with records of more wikis. The command gets `sites`: its
    path as text, or None."""
    text = (
        "A TOML file that describes more wikis (by default sites.toml beside the pages); "
        "see docs/extending.md."
    )
    return click.option("--sites", metavar="FILE", help=text)(command)


def edge_options(command: Command) -> Command:
    """Add the options that choose edges around a node. The command gets `direction`, `kinds` (as
    typed, `cites,links_to`; None for all kinds), `depth`, `with_parts`, and what `filters`
    gives."""
    command = click.option(
        "--with-parts", is_flag=True, help="Take a rule together with its sub-rules."
    )(_with_texts(_REF_FILTERS, command))
    command = click.option(
        "--depth",
        type=WholeNumber(1, 20),
        default=1,
        show_default=True,
        help="How many steps to follow; each edge is given once, nearest first.",
    )(command)
    command = click.option(
        "--kind",
        "kinds",
        help="Only edges of these kinds, e.g. cites,links_to.",
    )(command)
    return click.option(
        "--direction",
        type=click.Choice(["in", "out", "both"]),
        default="both",
        show_default=True,
        help="Edges into REF, out of it, or both.",
    )(command)


def next_part(command: Command) -> Command:
    """Add the option that continues a result, which the command gets as `after`, or None."""
    return click.option(
        "--after", metavar="PLACE", help="Go on where the part before ended, which says its PLACE."
    )(command)


def passage_filters(command: Command) -> Command:
    """Add the options that choose passages: the fields of `kb.PassageFilters`. The command gets
    `section` and `kind` (or None), `mentions` and `cites` (tuples of references, often empty), and
    what `filters` gives."""
    for name, condition in (
        ("cites", "that cite this rule or a sub-rule of it, e.g. 614; may be repeated"),
        ("mentions", "that mention this term or card, e.g. 引く; may be repeated"),
    ):
        command = click.option(
            f"--{name}", multiple=True, metavar="REF", help=f"Only passages {condition}."
        )(command)
    kinds = click.Choice(get_args(public.StatementKind))
    command = click.option(
        "--kind", type=kinds, help="Only passages that give a statement of this kind."
    )(command)
    command = click.option("--section", help="Only sections with this in their name, e.g. FAQ.")(
        command
    )
    return filters(command)
