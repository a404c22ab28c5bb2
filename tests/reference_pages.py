"""The pages in docs/reference: what the commands and Python's names say of themselves.

    python -m tests.reference_pages

writes them: read the difference before it is committed.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click

import kb
from kb.cli.group import main
from kb.result import ListResult, Result, reported_fields
from tests.conftest import ROOT

FOLDER = ROOT / "docs" / "reference"
_REWRITE = "<!-- written by `python -m tests.reference_pages`; a change here is lost -->\n\n"
_FIELD = re.compile(r"(\w+(?:, \w+)*):(?: |$)")  # of a docstring: `lang: the language`
_BLOCK_MARK = "\b"  # what follows is not wrapped, to click


def pages() -> dict[str, str]:
    """The name and the text of each page."""
    return {
        "command-line.md": _REWRITE + "".join(_command_line()),
        "python.md": _REWRITE + "".join(_python()),
        "results.md": _REWRITE + "".join(_results()),
    }


# -- commands ---------------------------------------------------------------------------
def _command_line() -> Iterator[str]:
    yield "# Options of the commands\n\nAs `sansho COMMAND --help` prints them. "
    yield "[Commands](../commands.md) says which is for what.\n"
    commands = sorted(_commands(main, "sansho"), key=lambda pair: pair[0])
    for path, command in commands:
        context = click.Context(command, info_name=path, terminal_width=200)
        yield f"\n## {path.removeprefix('sansho ')}\n\n"
        yield f"```\n{context.get_usage().removeprefix('Usage: ')}\n```\n\n"
        yield _help(command.help or "")
        options = [
            record
            for param in command.params
            if isinstance(param, click.Option) and (record := param.get_help_record(context))
        ]
        if options:
            yield "\n| option | what it does |\n| --- | --- |\n"
            for names, text in options:
                yield f"| `{_cell(names)}` | {_cell(text)} |\n"


def _commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield (its words, the command) of each command of a group, not of hidden ones."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")
        elif not command.hidden:
            yield f"{path} {name}", command


def _help(text: str) -> str:
    """A command's help in Markdown: paragraphs, and what is indented as code."""
    parts = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        lines = paragraph.strip("\n").split("\n")
        if lines[0] == _BLOCK_MARK:
            told = [line for line in lines[1:] if not line.startswith(" ")]
            code = textwrap.dedent("\n".join(line for line in lines[1:] if line.startswith(" ")))
            parts += [_escaped(" ".join(told)), f"```sh\n{code}\n```" if code else ""]
        else:
            parts.append(_escaped(" ".join(lines)))
    return "\n\n".join(filter(None, parts)) + "\n"


# -- Python -----------------------------------------------------------------------------
def _python() -> Iterator[str]:
    yield "# Python\n\nWhat `import kb` gives. What the answers hold is told in "
    yield "[Results](results.md).\n"
    for name in sorted(name for name in kb.__all__ if inspect.isfunction(getattr(kb, name))):
        yield from _function(f"kb.{name}", getattr(kb, name), "##")
    yield f"\n## kb.KnowledgeBase\n\n{_docstring(kb.KnowledgeBase)}"
    for name, member in _members(kb.KnowledgeBase):
        yield from _function(name, member, "###")


def _results() -> Iterator[str]:
    yield "# Results\n\nThe types that [Python's answers](python.md) are made of, by name. "
    yield "What an answer has as JSON is `as_json()`, as a table `table()` or `to_frame()`; what "
    yield "was taken for something else is in its `taken_as`.\n"
    for name in sorted(kb.__all__, key=str.lower):
        kind = getattr(kb, name)
        if inspect.isclass(kind) and kind is not kb.KnowledgeBase:
            yield from result(name, kind)


def result(name: str, kind: type) -> Iterator[str]:
    """Yield what the reference says of a type: what its fields are, and which of them its document
    and its table have, as they are declared."""
    yield f"\n## {name}\n\n{_docstring(kind)}"
    members = [f"- `{member}`: {_first(doc)}\n" for member, doc in _described(kind)]
    yield "\n" + "".join(members) if members else ""
    if issubclass(kind, Result):
        yield f"\nJSON: {_named(reported_fields(kind))}.\n"
    if issubclass(kind, ListResult) and kind._COLUMNS:
        yield f"\nTable: {_named(kind._COLUMNS)}.\n"


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _described(kind: type) -> Iterator[tuple[str, Any]]:
    for name, member in _members(kind):
        called = "" if isinstance(member, property) else "()"
        yield f"{name}{called}", member


def _members(kind: type) -> Iterable[tuple[str, Any]]:
    """The documented methods and properties that a class itself defines, in its order."""
    for name, member in vars(kind).items():
        is_member = inspect.isfunction(member) or isinstance(member, property)
        if is_member and not name.startswith("_") and member.__doc__:
            yield name, member


def _function(name: str, function: Callable[..., Any], heading: str) -> Iterator[str]:
    yield f"\n{heading} {name}\n\n"
    if not isinstance(function, property):
        yield f"```python\n{_signature(name, function)}\n```\n\n"
    yield _docstring(function)


def _signature(name: str, function: Callable[..., Any]) -> str:
    """How a function is called: a parameter a line where one line is too short."""
    found = inspect.signature(function)
    shown = [_parameter(p) for p in found.parameters.values() if p.name != "self"]
    keywords = [p for p in found.parameters.values() if p.kind is p.KEYWORD_ONLY]
    if keywords and not any(p.kind is p.VAR_POSITIONAL for p in found.parameters.values()):
        shown.insert(len(shown) - len(keywords) - any("**" in text for text in shown), "*")
    result = f" -> {_annotation(found.return_annotation)}"
    line = f"{name}({', '.join(shown)}){result}"
    if len(line) <= 90:
        return line
    return f"{name}(\n" + "".join(f"    {text},\n" for text in shown) + f"){result}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    hint = parameter.annotation
    annotation = "" if hint is parameter.empty else f": {_annotation(hint)}"
    return f"{stars}{parameter.name}{annotation}{default}"


def _annotation(hint: object) -> str:
    text = hint if isinstance(hint, str) else getattr(hint, "__name__", str(hint))
    return text.replace("typing.", "")


def _first(documented: Any) -> str:
    """The first sentence of a docstring."""
    text = " ".join((inspect.getdoc(documented) or "").partition("\n\n")[0].split())
    return _escaped(text)


def _docstring(documented: Any) -> str:
    """A docstring in Markdown: paragraphs, lists of fields, and examples as code."""
    text = ""
    for paragraph in (inspect.getdoc(documented) or "").split("\n\n"):
        lines = paragraph.split("\n")
        if lines[0].startswith(">>> "):
            text += f"```pycon\n{paragraph}\n```\n\n"
        elif _FIELD.match(lines[0]):
            text += "".join(_fields(lines)) + "\n"
        else:
            text += _escaped(" ".join(" ".join(lines).split())) + "\n\n"
    return text.rstrip("\n") + "\n"


def _fields(lines: Iterable[str]) -> Iterator[str]:
    """Yield a list item for each `name: what it is` of some lines; more lines may follow one."""
    item = ""
    for line in lines:
        if found := _FIELD.match(line):
            if item:
                yield f"{item}\n"
            names = ", ".join(f"`{name}`" for name in found[1].split(", "))
            item = f"- {names}: {_escaped(line[found.end() :])}"
        else:
            item += f" {_escaped(line.strip())}"
    yield f"{item}\n"


def _escaped(text: str) -> str:
    """A text with what Markdown would take for markup made harmless, but for `code`."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([*_<\[\]])", r"\\\1", part) for part in parts
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")
