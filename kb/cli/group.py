"""The command `sansho`: its group of commands, and how errors and options reach them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import click

import kb as public
from kb.cli.print_result import CANNOT_BE_DONE, NOTHING_FOUND, fail, print_json, say
from kb.cli.signals import describe
from kb.errors import UNEXPECTED, damage_of
from kb.reason import asking, reason_of

_MODULES = {
    "building": ("demo", "build", "crawl", "update", "near"),
    "lookup": ("show", "refs", "path", "top", "draw"),
    "passages": ("search", "kwic", "ask"),
    "editions": ("diff", "changes", "trace", "align", "impact"),
    "terms": ("compare", "terms", "termbase", "decide", "steps", "outcomes", "rulings"),
    "translation": ("match", "package"),
    "check": ("check", "verify"),
    "stats_audit_export": ("stats", "audit", "export"),
    "serve": ("serve", "site", "mcp", "lsp"),
    "installed": ("plugins", "completion"),
}
BUILT_IN_COMMANDS = tuple(name for names in _MODULES.values() for name in names)
# The list in the JSON document of each command that takes a REF; of `show` see its own command.
_LISTS = {
    "refs": "edges",
    "path": "paths",
    "search": "hits",
    "kwic": "lines",
    "ask": "answers",
    "compare": "rows",
    "diff": "changes",
    "changes": "sections",
    "impact": "touched",
    "top": "nodes",
    "trace": "history",
    "align": "pairs",
    "steps": "procedures",
    "outcomes": "outcomes",
    "rulings": "rulings",
    "termbase": "concepts",
    "decide": "concepts",
    "match": "matches",
    "package": "files",
}


class _Commands(Mapping[str, click.Command]):
    """The commands by name, those of plug-ins behind the others; the module of one is imported when
    it is looked up. One that can't be had says so when it is run."""

    def __init__(self) -> None:
        self._modules = {name: module for module, names in _MODULES.items() for name in names}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._modules:
            return _of_plugin({one.name: one for one in _of_plugins()}[name])
        command = getattr(import_module(f"kb.cli.commands.{self._modules[name]}"), name)
        assert isinstance(command, click.Command)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._modules, *(one.name for one in _of_plugins()))))

    def __len__(self) -> int:
        return len(list(iter(self)))


def _of_plugins() -> list[public.Plugin]:
    return [one for one in public.installed_plugins() if one.group == "commands"]


def _of_plugin(plugin: public.Plugin) -> click.Command:
    """Return the command of a plug-in; if it can't be loaded, one that says so and fails."""
    try:
        command = plugin.load()
        if not isinstance(command, click.Command):
            raise TypeError(f"not a Command but {type(command).__name__}")
        return command
    except (Exception, SystemExit) as error:  # whatever a stranger's module does
        message = plugin.failed(error)
        words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
        return click.Command(
            plugin.name,
            params=[words],
            callback=lambda words: fail(message),
            short_help=f"(of no use: {plugin})",
            context_settings={"ignore_unknown_options": True},
        )


class _Group(click.Group):
    """A group of commands whose options may also stand before the command, and that reports an
    error in a line or two, without a traceback; exit code 2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with the options before the command moved behind it, in their
        order: all up to the first word that is no option of any command, nor an option's value."""
        moved, index = [], 0
        while index < len(args) and (option := self._option_of_a_command(args[index])):
            takes_value = not option.is_flag and "=" not in args[index]
            moved += args[index : index + 1 + takes_value]
            index += 1 + takes_value
        return super().parse_args(ctx, [*args[index : index + 1], *moved, *args[index + 1 :]])

    def _option_of_a_command(self, word: str) -> click.Option | None:
        """Return the option that a word (`--kb`, `--kb=FILE`) names, of the first command that has
        it; None if none has, and for `-h`, `--help` and `--version`, which are the group's own."""
        name = word.partition("=")[0]
        if not name.startswith("-") or name in ("-h", "--help", "--version"):
            return None
        for command in self.commands.values():
            for option in command.params:
                if isinstance(option, click.Option) and name in (
                    *option.opts,
                    *option.secondary_opts,
                ):
                    return option
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is named: its name, itself, and the rest of the words. For an
        unknown one UsageError, which names similar commands if there are any."""
        if args[0] not in self.commands:
            from difflib import get_close_matches

            if near := get_close_matches(args[0], self.commands):
                ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(near)}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was given.

        The errors in `kb.ERRORS`, an interruption, text that can't be encoded and errors of the
        operating system become a message on standard error and the exit code 2, not a traceback;
        a reference that names nothing the exit code 1. Other exceptions are raised.
        """
        try:
            with asking("") as asked:
                return super().invoke(ctx)
        except public.ERRORS as error:
            for reason in asked.taken:
                say(reason)
            not_found = isinstance(error, public.NotFoundError)
            if ctx.meta.get("json"):
                document: dict[str, Any] = {"error": reason_of(error).as_json()}
                if isinstance(error, public.NotFoundError):
                    # In the shape of the command's own document, with nothing in it.
                    items = _LISTS.get(ctx.invoked_subcommand or "")
                    empty: dict[str, Any] = {items: []} if items else {}
                    document = empty | {"near": list(error.near)} | document
                print_json(document)
            fail(reason_of(error), NOTHING_FOUND if not_found else CANNOT_BE_DONE)
        except (KeyboardInterrupt, click.Abort):
            fail("interrupted; what was there before is kept")
        except UnicodeEncodeError as error:
            fail(f"{error.object!r}: not text that can be encoded as {error.encoding}")
        except BrokenPipeError:  # the reader of the output went away: no reason for words
            raise
        except OSError as error:
            fail(describe(error))
        except click.exceptions.Exit:
            raise
        except UNEXPECTED:
            # Nothing that is right in a file leads here, but whatever is wrong in it may.
            if "kb" in ctx.meta and (damage := damage_of(ctx.meta["kb"])):
                fail(str(damage))
            raise


@click.group(
    cls=_Group, commands=_Commands(), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="sansho", prog_name="sansho")
def main() -> None:
    """Look up and cross-reference the rules of Japanese card games.

    sansho reads wiki pages and rulebooks into a knowledge base, which is one file: a graph of
    terms, rules, cards and rulings, and of the references between them, each with the words of
    the page that it rests on.

    \b
    Start with:
      sansho demo               build a small sample and answer a question from it
      sansho build FOLDER       build a knowledge base from your own pages
      sansho update             look for what changed since, and build again
      sansho show 121.4         look something up in it
      sansho COMMAND --help     explain a command and its options
    \b
    Which command?
      what something is, is called, says        show, compare, terms
      what refers to what                       refs, path, top, draw
      where words stand; a question             search, kwic, ask
      what an edition or translation changed    diff, changes, trace, align
      which pages a new edition makes stale     impact
      what happens, step by step                steps, outcomes, rulings
      a translator's draft; names decided on    check, decide
      how it was translated; a new edition's    match, package
      what an answer cites and quotes           verify
      what is in the knowledge base             stats, audit
      answers in other words than the question  near
    """
