"""Answers one call of a tool: in a thread, within a time, with errors in words for a model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from functools import wraps
from typing import Annotated, Any, TypeVar

from mcp.types import CallToolResult, TextContent

import kb
from kb.mcp.replies import Reply, fact, name, said
from kb.reason import Reason, reason_of

# Questions at a time; others wait. By hand: a model asks a few at once, and each thread has its own
# connection to the file.
_THREADS = 4
# For a question, its wait included. By hand: lower ends verifying long texts, higher leaves a model
# without a word; one that is ended is told how to ask for less.
_SECONDS = 30
_ASK_FOR_LESS = {
    "verify": "give less text, in parts",
    "refs": "narrow it by game, edition or language, or follow fewer steps",
    "ask": "give a shorter question, or narrow it by game, edition or language",
    "check": "give less text, in parts, and `game`",
    "termbase": "give fewer terms, and `game`",
}
# Where another time than _SECONDS is needed: checking reads all names of a game. By hand: less than
# the minute after which clients give up.
_SECONDS_OF = {"check": 55}

Tool = Callable[..., Reply]
Result = TypeVar("Result")
_WORDS_FOR_NEWEST = frozenset({"latest", "newest", "current", "now", "最新", "最新版"})
_REFERENCES = ("ref", "start", "end")
_FILTERS = ("game", "edition", "lang", "source")


class Questions:
    """Calls tools on a knowledge base that is opened anew when its file was built again.

    A fixed number of threads answer, whatever a client asks at once: each has its own connection
    to the file, which costs more than most questions.
    """

    def __init__(self, served: kb.ReopenedBase, seconds: float = _SECONDS) -> None:
        self._served = served
        self._seconds = seconds
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="sansho")

    def close(self) -> None:
        """Wait for no question any more, and close the file."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._served.close()

    def games(self) -> list[str]:
        """Return the short names of the games that are loaded now, sorted; none if that can't be
        read in time."""

        def names() -> list[str]:
            with self._served.base() as base:
                return sorted(base.stats().games)

        try:
            return self.run(names, self._seconds)
        except (*kb.ERRORS, TimeoutError):
            return []

    def bound(self, tool: Tool, shape: Any) -> Callable[..., CallToolResult]:
        """Return a tool without its first parameter, the knowledge base, as the SDK takes it; it
        declares `shape` as that of its structured content."""

        @wraps(tool)
        def call(**arguments: Any) -> CallToolResult:
            # Models give an empty text where they mean none.
            given = {name: value for name, value in arguments.items() if value != ""}
            if _means_newest(given.get("after")):  # as it is without it
                del given["after"]
            return self._result(tool, given)

        signature = inspect.signature(tool, eval_str=True)
        parameters = list(signature.parameters.values())[1:]
        returned = Annotated[CallToolResult, shape]
        call.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=parameters, return_annotation=returned
        )
        call.__annotations__ = {each.name: each.annotation for each in parameters}
        return call

    def ask(self, tool: Tool, **arguments: Any) -> Reply:
        """Return what a tool answers, within the time for a question; errors are those of `run`."""
        return self.run(lambda: self._answer(tool, arguments), self._seconds_for(tool))

    def _seconds_for(self, tool: Tool) -> float:
        """Return how long a tool may take: its own time, if the usual one is."""
        usual = self._seconds == _SECONDS
        return _SECONDS_OF.get(tool.__name__, self._seconds) if usual else self._seconds

    def run(self, work: Callable[[], Result], seconds: float) -> Result:
        """Return what a function returns that a thread calls.

        Raises what it raises, and TimeoutError if it takes too long: what was begun then ends.
        """
        limit = kb.TimeLimit(seconds)
        future = self._pool.submit(self._within, limit, work)
        try:
            return future.result(seconds)
        except kb.OutOfTimeError:
            raise TimeoutError from None
        finally:
            limit.give_up()
            future.cancel()

    @staticmethod
    def _within(limit: kb.TimeLimit, work: Callable[[], Result]) -> Result:
        with kb.limited(limit):
            return work()

    def _answer(self, tool: Tool, arguments: dict[str, Any]) -> Reply:
        """Return what a tool answers, with what was taken for another name, and which filters were
        not used, at its beginning. Raises what the tool does, and QuestionError for an edition that
        is a word such as `latest`."""
        with self._served.base() as base, kb.asking(tool.__name__) as asked:
            refuse_words_for_newest(arguments)
            reply = tool(base, **arguments)
            taken = [f"taken as: {said(reason)}" for reason in asked.taken]
            unused = unused_filters(base, arguments)
        text = "\n".join([*taken, *unused, reply.text])
        return Reply(text, reply.document)

    def _result(self, tool: Tool, arguments: dict[str, Any]) -> CallToolResult:
        """Return the result of a tool for the client; an error in words is a result, too."""
        try:
            reply = self.ask(tool, **arguments)
        except kb.ERRORS as error:
            return failure(reason_of(error))
        except TimeoutError:
            less = _ASK_FOR_LESS.get(tool.__name__, "narrow it by game, edition or language")
            seconds = f"{self._seconds_for(tool):g}"
            return failure(Reason("took_too_long", seconds=seconds, less=less))
        content = TextContent(type="text", text=reply.text)
        return CallToolResult(content=[content], structured_content=reply.document)


def failure(reason: Reason) -> CallToolResult:
    """Return an error whose text is the message alone: of an exception the SDK would give the name
    of the tool before it, or nothing but that."""
    content = TextContent(type="text", text=said(reason))
    return CallToolResult(content=[content], is_error=True)


def _means_newest(given: object) -> bool:
    return isinstance(given, str) and given.strip().casefold() in _WORDS_FOR_NEWEST


def refuse_words_for_newest(arguments: Mapping[str, Any]) -> None:
    """Raise QuestionError if the edition is given as a word such as `latest`: the newest is another
    one in each game and language.

    >>> refuse_words_for_newest({"ref": "121.4", "edition": "20231117"})
    """
    given = str(arguments.get("edition") or "").strip()
    if _means_newest(given):
        raise kb.QuestionError("newest_by_word", edition=given)


def unused_filters(base: kb.KnowledgeBase, arguments: Mapping[str, Any]) -> list[str]:
    """Return a line for each filter that an id among the references does not fit: an id names one
    thing, whatever the filters beside it ask for. None without filters or ids, or if no node has
    the id."""
    given = {key: str(arguments[key]) for key in _FILTERS if arguments.get(key)}
    lines = []
    given_refs = (arguments.get(key) or "" for key in _REFERENCES)
    one_by_one = (each if isinstance(each, list) else [each] for each in given_refs)
    for reference in (str(each).strip() for several in one_by_one for each in several):
        if not given or "/" not in reference:
            continue
        node = next((n for n in base.show(reference).matches if n.id == reference), None)
        for key, value in given.items():
            if node and not _is_of(base, node, key, value):
                own = getattr(node, key)
                of = f"of {key} {fact(own)}" if own else f"of no {key}"
                lines.append(
                    f"not used: {key} {name(value, 60)}: an id names one thing, and "
                    f"{name(reference, 200)} is {of}"
                )
    return lines


def _is_of(base: kb.KnowledgeBase, node: kb.Node, key: str, value: str) -> bool:
    """Whether a node is of the game, edition, language or source that a value means: case and width
    do not count, and an edition may be given in several forms.

    key: `game`, `edition`, `lang` or `source`.
    """
    if getattr(node, key) == value:
        return True
    filters: kb.Filters = {key: value}  # type: ignore[misc]
    named = base.show(node.number or node.label or node.id, **filters).matches
    return any(match.id == node.id for match in named)
