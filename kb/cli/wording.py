"""The words of the command line: options for arguments, and commands that run as they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from shlex import quote
from typing import Any

import click
from click.core import ParameterSource

import kb
from kb.reason import OF_TWO_EDITIONS, Argument, Ask, Reason, Wording

RUNNING = "sansho.running"  # in a context's `meta`: the context of the command that runs
_OF_THE_RUN = {"kb_file", "as_json"}  # parameters that say how to run, and nothing of a question
# What needs no quotes in a shell: letters of any script, too. Compiled when it is first needed.
_SAFE_WORD = r"(?!-)[\w.,:/%+@=-]+"


class _Terminal(Wording):
    """Words reasons for the command line."""

    def sentence_and_command(self, reason: Reason) -> tuple[str, str]:
        """Return the sentence of a reason, and the command that gives the rest if it ends the
        sentence; empty where there is none, or it stands within the sentence."""
        said, asked = self.with_ask(reason), self.ask(reason.ask) if reason.ask else ""
        sentence = said.removesuffix(self._BEFORE_ASK + asked) if asked else said
        return sentence, asked if sentence != said else ""

    def words(self, value: Any, form: str = "") -> str:
        """As in `Wording`; but of several questions each is a line, which runs as it stands."""
        if isinstance(value, tuple) and len(value) > 1 and isinstance(value[0], Ask):
            return "".join(f"\n  {self.ask(each)}" for each in value)
        return super().words(value, form)

    def argument(self, argument: Argument) -> str:
        """Return the option, with its value if that is known; of what is no option the word that
        stands for it in the command's usage."""
        context = click.get_current_context(silent=True)
        running: click.Context | None = context and context.meta.get(RUNNING)
        for param in running.command.params if running else ():
            if running and param.name == argument.name:
                if isinstance(param, click.Argument):
                    return str(param.make_metavar(running)).strip("[].")
                return _option(param.opts[0], argument.value)
        return _option(f"--{argument.name.replace('_', '-')}", argument.value)

    def ask(self, ask: Ask) -> str:
        """Return the command that asks a question; empty if no command does."""
        return command(ask)


class _Published(_Terminal):
    """Words reasons for a document to be published: commands without what was typed here, such as
    the file of the knowledge base."""

    def ask(self, ask: Ask) -> str:
        """Return the command that asks a question, by itself."""
        return command(ask, as_typed=False)


TERMINAL, PUBLISHED = _Terminal(), _Published()


def _option(name: str, value: object) -> str:
    return name if value in (None, True, ...) else f"{name} {shell_word(str(value))}"


def command(ask: Ask, as_typed: bool = True) -> str:
    """Return the command that asks a question, as it can be typed here: with the file that was
    named, and what else was typed if it is the same command again, unless `as_typed` is false.
    Empty if no command asks it."""
    context = click.get_current_context(silent=True)
    commands = getattr(context.find_root().command, "commands", {}) if context else {}
    asked = commands.get(ask.question)
    if context is None or asked is None:
        return ""
    running: click.Context | None = context.meta.get(RUNNING) if as_typed else None
    typed = _typed(running) if running else {}
    same = running is not None and running.command.name == ask.question
    arguments = dict(ask.arguments)
    names = {param.name for param in asked.params}
    flags = {
        param.name for param in asked.params if isinstance(param, click.Option) and param.is_flag
    }
    # Such as `--mentioned`, a ranking by itself: it takes the place of one that was typed.
    chosen = flags & {str(value) for name, value in arguments.items() if name not in names}
    if same:
        replaced = arguments_of(ask.question) | _OF_THE_RUN | (flags if chosen else frozenset())
        arguments = {name: typed[name] for name in typed if name not in replaced} | arguments
        if "most" in typed and "after" not in arguments:
            arguments.setdefault("most", typed["most"])
    if ask.question == "kwic":
        arguments["each_edition"] = not arguments.pop("merge_editions", False)
    words, options = list[str](), list[str]()
    for param in asked.params:
        value = arguments.get(param.name or "")
        if isinstance(param, click.Argument):
            if value is None and same and running:
                value = running.params.get(param.name or "")
            if value is None and param.required:
                return ""
            words += map(str, _several(value))
        elif value is not None and value is not False and value != param.default:
            options += _options(param, value)
        elif param.name in chosen:
            options.append(param.opts[0])
    if "kb_file" in typed and any(param.name == "kb_file" for param in asked.params):
        options += ["--kb", shell_word(str(typed["kb_file"]))]
    given = [shell_word(word) for word in words]
    if any(word.startswith("-") for word in words):  # it would be taken for an option
        return " ".join(["sansho", ask.question, *options, "--", *given])
    return " ".join(["sansho", ask.question, *given, *options])


def command_with(**options: Any) -> str:
    """Return the running command as it was typed, with some of its parameters changed and without
    those of the run alone (such as --json); empty for a command that asks nothing. A place to go on
    from (--after) is kept only for the same list: where nothing but `most` is changed; an
    edition always. Raises RuntimeError outside a command."""
    running: click.Context | None = click.get_current_context().meta.get(RUNNING)
    if running is None or running.command.name is None:
        return ""
    question, typed = running.command.name, dict(_typed(running))
    if question not in OF_TWO_EDITIONS and options.keys() - {"most"}:
        typed.pop("after", None)
    typed = {name: value for name, value in typed.items() if name not in _OF_THE_RUN}
    return command(Ask(question, **typed | options))


def _typed(running: click.Context) -> Mapping[str, Any]:
    """Return {name: value} of the parameters of the running command whose values a person typed;
    not those from the environment or by default."""
    return {
        name: value
        for name, value in running.params.items()
        if running.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


@cache
def arguments_of(question: str) -> frozenset[str]:
    """Return the names of the arguments that a question, a method of `kb.KnowledgeBase`, has in
    Python, all filters among them."""
    from inspect import signature

    filters = {*kb.Filters.__annotations__, *kb.PassageFilters.__annotations__}
    return frozenset(signature(getattr(kb.KnowledgeBase, question)).parameters) | filters


def _options(param: click.Parameter, value: object) -> Iterator[str]:
    """Yield an option with its values as words of a shell: one that may be repeated before each of
    its values, any other once, with commas between several; nothing for what is no option."""
    if not isinstance(param, click.Option):
        return
    if param.is_flag:
        yield param.opts[0]
    elif param.multiple or isinstance(value, str | int):
        for each in _several(value):
            yield from (param.opts[0], shell_word(str(each)))
    else:
        yield from (param.opts[0], shell_word(",".join(map(str, _several(value)))))


def _several(value: object) -> tuple[object, ...]:
    if isinstance(value, tuple | list):
        return tuple(value)
    return () if value is None else (value,)


def shell_word(text: str) -> str:
    """Return a text as one word of a command, in quotation marks if a shell needs them.

    >>> shell_word("引く"), shell_word("Draw card(s)")
    ('引く', "'Draw card(s)'")
    """
    return text if re.fullmatch(_SAFE_WORD, text) else quote(text)


def in_quotes(text: str) -> str:
    """Return a text in double quotation marks, or in single ones, escaped, where a shell would read
    something in it."""
    return quote(text) if any(sign in text for sign in '"$`\\!') else f'"{text}"'
