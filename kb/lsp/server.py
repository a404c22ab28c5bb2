"""The server: what an editor asks of a text, answered from what was read of its newest version."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec

import kb
from kb.checking.fix_numbers import WrittenNumber
from kb.checking.proofreader import Edit, Proofreader, Repair
from kb.checking.sarif import RULES, VERDICTS
from kb.lsp.hover import rule_lines, term_lines, without_markup
from kb.lsp.open_texts import (
    OpenBase,
    Problem,
    Settings,
    VerifiedText,
    checked,
    new_limit,
    not_overlapping,
    verified,
)

_WAIT = 0.3  # seconds behind a key until a text is read, by hand: shorter than a pause for thought
_SECTION = "sansho"  # of the editor's settings
_REMEMBER = "sansho.remember"
_FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.sansho"
_MOST_CONCEPTS = 3  # of one name: homonyms of several games
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
Result = TypeVar("Result")


@dataclass(slots=True)
class _Reading:
    """What is being read, or was, of one version of a text: `verified`, and `checked` of a draft.

    of: the text, and the base and settings that it is held against.
    """

    of: tuple[str, object]
    limit: kb.TimeLimit
    verified: asyncio.Task[VerifiedText | None]
    checked: asyncio.Task[VerifiedText | None] | None = None


class _Server(LanguageServer):
    """A language server that holds each version of a text against a knowledge base once."""

    def __init__(self, path: str | Path) -> None:
        # Texts come whole: pygls would count lines as Python does, which takes a form feed or
        # U+2028 for the end of one, and put changes behind it in a wrong place.
        whole = types.TextDocumentSyncKind.Full
        super().__init__(_SECTION, _version(), text_document_sync_kind=whole)
        self.base = OpenBase(path)
        # A thread for each: the first check of a draft takes long, and nothing waits for it.
        self._verifying, self._checking = (ThreadPoolExecutor(1, name) for name in ("v", "c"))
        self._readings: dict[str, _Reading] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._said = ""
        self.last_check: Future[Any] | None = None

    def say(self, error: Exception | str) -> None:
        """Show a message, once until there is another one."""
        if str(error) != self._said:
            self._said = str(error)
            params = types.ShowMessageParams(types.MessageType.Error, f"sansho: {error}")
            self.window_show_message(params)

    async def ask(self, work: Callable[[], Result], slow: bool = False) -> Result | None:
        """Return what a function returns that a thread calls; None for an error that is for
        people, which is shown. slow: whether it is a check."""
        pool = self._checking if slow else self._verifying
        try:
            future = pool.submit(work)
            self.last_check = future if slow else self.last_check
            return await asyncio.wrap_future(future)
        except kb.OutOfTimeError:  # a newer version of the text is being read
            return None
        except kb.ERRORS as error:
            self.say(error)
            return None

    async def ask_base(
        self, work: Callable[[kb.KnowledgeBase, Proofreader], Result]
    ) -> Result | None:
        """Return what a function returns of the base and its proofreader, as `ask` does."""

        def asked() -> Result:
            with self.base.opened() as opened:
                return work(*opened)

        return await self.ask(asked)

    def begin(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Begin work that goes on by itself; what it raises is reported to the client."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self.say(f"{type(error).__name__}: {error}")

    def reading(self, uri: str) -> _Reading:
        """Return what is read of the newest version of a text, which begins now if it has not."""
        text = self.workspace.get_text_document(uri).source
        known = self._readings.get(uri)
        of = text, self.base.signature()
        if known and known.of == of and not _has_failed(known.verified):
            return known
        if known:
            known.limit.give_up()
        file, limit = uris.to_fs_path(uri) or uri, new_limit()
        work = self.ask(partial(verified, self.base, text, file, limit))
        reading = self._readings[uri] = _Reading(of, limit, self.begin(work))
        original = self.base.settings.original_of(file, self.workspace.root_path or "")
        if original is not None:
            check = self.ask(partial(checked, self.base, text, file, original, limit), True)
            reading.checked = self.begin(check)
        return reading

    async def verified(self, uri: str) -> VerifiedText | None:
        """Return the newest version of a text, verified; None if that can't be done."""
        return await asyncio.shield(self.reading(uri).verified)

    def read_soon(self, uri: str, seconds: float = 0) -> None:
        """Read a text, and send what is wrong with it, when nothing was typed for some time."""
        if timer := self._timers.pop(uri, None):
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(seconds, lambda: self.begin(self._publish(uri)))

    async def _publish(self, uri: str) -> None:
        """Send what is wrong with a text: what was verified, and again when it is checked, too."""
        if uri not in self.workspace.text_documents:
            return
        document = self.workspace.get_text_document(uri)
        reading = self.reading(uri)
        shown: list[types.Diagnostic] = []
        for task in filter(None, (reading.verified, reading.checked)):
            read = await asyncio.shield(task)
            if self._readings.get(uri) is not reading:
                return  # a newer one is sent instead
            shown += self.diagnostics(read) if read else []
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, shown, document.version)
            )

    def forget(self, uri: str) -> None:
        """Forget what was read of a text."""
        if known := self._readings.pop(uri, None):
            known.limit.give_up()

    def done(self, uri: str, verified: VerifiedText) -> list[VerifiedText]:
        """Return what is known of a text now: verified and, if that has come to its end, checked;
        nobody waits for a check."""
        check = self.reading(uri).checked
        found = check.result() if check and check.done() else None
        return [verified, found] if found else [verified]

    # -- in the words of the protocol ------------------------------------------------------

    @property
    def codec(self) -> PositionCodec:
        """What counts columns as the client does, in UTF-16 unless it asks for another."""
        return self.workspace.position_codec

    def place(self, lines: Sequence[str], line: int, column: int) -> types.Position:
        """Return a place in a text as the client counts it. line: from 1. column: in characters."""
        words = lines[line - 1][:column] if 0 < line <= len(lines) else ""
        return types.Position(max(0, line - 1), self.codec.client_num_units(words))

    def column(self, lines: Sequence[str], position: types.Position) -> int:
        """Return the column in characters of a place that the client gives."""
        words = lines[position.line] if position.line < len(lines) else ""
        units = 0
        for column, character in enumerate(words):
            units += self.codec.client_num_units(character)
            if units > position.character:
                return column
        return len(words)

    def range(self, lines: Sequence[str], one: Problem | Edit) -> types.Range:
        """Return the range of a problem or an edit."""
        start = self.place(lines, one.line, one.start)
        return types.Range(start, self.place(lines, one.end_line or one.line, one.end))

    def diagnostics(self, read: VerifiedText) -> list[types.Diagnostic]:
        """Return what is wrong with a text for the client to show."""
        if read.note:
            top = types.Range(types.Position(0, 0), types.Position(0, 0))
            note = types.DiagnosticSeverity.Information
            return [types.Diagnostic(top, str(read.note), note, source=_SECTION)]
        return [self.diagnostic(read.lines, problem) for problem in read.problems]

    def diagnostic(self, lines: Sequence[str], problem: Problem) -> types.Diagnostic:
        """Return one problem for the client to show."""
        kind = problem.verdict if isinstance(problem, kb.Claim) else problem.kind
        code = kind.replace(" ", "-")
        rule = (VERDICTS if isinstance(problem, kb.Claim) else RULES)[code]
        message, level = problem.message or rule.summary, _SEVERITIES[rule.level]
        return types.Diagnostic(
            self.range(lines, problem), message, level, code=code, source=_SECTION
        )

    def action(
        self, uri: str, lines: Sequence[str], repairs: Sequence[Repair], kind: str, title: str
    ) -> types.CodeAction:
        """Return a code action that does some repairs."""
        edits = [
            types.TextEdit(self.range(lines, edit), edit.text)
            for repair in repairs
            for edit in repair.edits
        ]
        numbers = [list(one.number) for one in repairs if one.number]
        remember = types.Command("Remember the numbers", _REMEMBER, arguments=[uri, numbers])
        return types.CodeAction(
            title,
            kind=kind,
            diagnostics=[self.diagnostic(lines, one.problem) for one in repairs],
            is_preferred=all(one.sure for one in repairs),
            edit=types.WorkspaceEdit(changes={uri: edits}),
            # Of texts for an older edition alone: there a new number would be taken for an old one.
            command=remember if numbers and self.base.settings.edition else None,
        )


def _has_failed(task: asyncio.Task[VerifiedText | None]) -> bool:
    return task.done() and (task.cancelled() or bool(task.exception()) or task.result() is None)


def _version() -> str:
    try:
        return version("sansho")
    except PackageNotFoundError:
        return ""


def build_server(path: str | Path) -> _Server:
    """Return the server for a knowledge base, which is not started yet; the base is opened when
    the client is ready, and a missing one is a message to the person."""
    server = _Server(path)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        _set(server, params.initialization_options)

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        await _configure(server)
        await server.ask_base(_warm_up)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration(params: types.DidChangeConfigurationParams) -> None:
        if not await _configure(server) and isinstance(params.settings, dict):
            _set(server, params.settings.get(_SECTION))
        for uri in server.workspace.text_documents:
            server.read_soon(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.read_soon(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.read_soon(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.read_soon(params.text_document.uri, _WAIT)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.forget(uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await _hover(server, params)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> types.Location | None:
        read = await server.verified(params.text_document.uri)
        claim = _claim_at(server, read, params.position) if read else None
        rule = claim.node if claim else None
        if rule is None:
            return None
        place = await server.ask_base(lambda _, reader: reader.place_of(rule))
        if place is None:
            return None
        top = types.Position(place[1], 0)
        return types.Location(place[0].absolute().as_uri(), types.Range(top, top))

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, _FIX_ALL]),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await _actions(server, params)

    @server.command(_REMEMBER)
    async def remember(uri: str, numbers: list[list[str]]) -> None:
        file, text = uris.to_fs_path(uri) or uri, server.workspace.get_text_document(uri).source
        written = [WrittenNumber(*one) for one in numbers]
        await server.ask_base(lambda _, reader: reader.remember(file, written, text))
        server.forget(uri)
        server.read_soon(uri)

    return server


def _set(server: _Server, given: Any) -> None:
    """Take the settings that a client gives; wrong ones are shown, and those before stay."""
    try:
        server.base.settings = Settings.of(given)
    except kb.QuestionError as error:
        server.say(error)


async def _configure(server: _Server) -> bool:
    """Ask the editor for its settings, if it can be asked; return whether it gave any."""
    workspace = server.client_capabilities.workspace
    if not (workspace and workspace.configuration):
        return False
    items = [types.ConfigurationItem(section=_SECTION)]
    [given] = await server.workspace_configuration_async(types.ConfigurationParams(items)) or [None]
    if given:
        _set(server, given)
    return bool(given)


def _warm_up(base: kb.KnowledgeBase, reader: Proofreader) -> None:
    """Read what the first questions would wait for: words of rules, names, the tokenizer."""
    reader.verify("By rule 100.1, “a player who has no cards left in their library loses”.")
    base.show("100.1", tree=True)
    if name := reader.name_at("draw カードを引く", 0):
        base.termbase(name.ids[0], uses=False)


def _claim_at(server: _Server, read: VerifiedText, position: types.Position) -> kb.Claim | None:
    """Return the shortest citation or quotation at a place; None if there is none."""
    place = position.line + 1, server.column(read.lines, position)
    found = [
        claim
        for claim in read.claims
        if (claim.line, claim.start) <= place <= (claim.end_line or claim.line, claim.end)
    ]
    return min(found, key=lambda claim: claim.span[1] - claim.span[0], default=None)


async def _hover(server: _Server, params: types.HoverParams) -> types.Hover | None:
    """Return what is shown of a citation, a quotation or a term; None for anything else."""
    read = await server.verified(params.text_document.uri)
    if read is None or params.position.line >= len(read.lines):
        return None
    claim = _claim_at(server, read, params.position)
    column = server.column(read.lines, params.position)
    line = read.words[params.position.line] if read.words else ""

    def shown(base: kb.KnowledgeBase, reader: Proofreader) -> tuple[list[str], int, int] | None:
        if claim:
            return list(filter(None, rule_lines(base, reader, claim))), 0, 0
        name = reader.name_at(line, column, read.game)
        if name is None:
            return None
        found = (base.termbase(one, uses=False) for one in name.ids[:_MOST_CONCEPTS])
        concepts = {one.id: one for each in found for one in each.concepts}.values()
        words = [text for one in concepts for text in filter(None, term_lines(one))]
        return words, name.start, name.end

    found = await server.ask_base(shown)
    if not found or not found[0]:
        return None
    number = params.position.line + 1
    one = claim or Edit(number, found[1], number, found[2], "")
    text, kind = "\n\n".join(found[0]), types.MarkupKind.Markdown
    capabilities = server.client_capabilities.text_document
    forms = capabilities.hover.content_format if capabilities and capabilities.hover else None
    if forms and kind not in forms:
        text, kind = without_markup(text), types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), server.range(read.lines, one))


async def _actions(server: _Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return the repairs of what is wrong in a range, and that of all in the text that are sure."""
    uri = params.text_document.uri
    read = await server.verified(uri)
    if read is None:
        return []
    done = server.done(uri, read)
    actions = []
    for repair in (one for each in done for one in each.repairs):
        place = server.range(read.lines, repair.problem)
        if place.start <= params.range.end and params.range.start <= place.end:
            title = f"Write {_shortened(repair)}"
            kind = types.CodeActionKind.QuickFix
            actions.append(server.action(uri, read.lines, [repair], kind, title))
    sure = list(not_overlapping(one for each in done for one in each.sure))
    if sure:
        title = f"Repair all in this file that is sure ({len(sure)})"
        actions.append(server.action(uri, read.lines, sure, _FIX_ALL, title))
    only = params.context.only
    return [one for one in actions if not only or any(_is_under(one.kind, kind) for kind in only)]


def _is_under(kind: str | None, asked: str) -> bool:
    """Whether a kind of action is the one that is asked for, or one of its sub-kinds."""
    return ((kind or "") + ".").startswith(asked + ".")  # an f-string writes an enum's own name


def _shortened(repair: Repair) -> str:
    """Return what a repair writes, for a title."""
    words = " … ".join(edit.text.strip() or "nothing here" for edit in repair.edits)
    return words if len(words) <= 60 else f"{words[:59]}…"


def serve(path: str | Path) -> None:
    """Serve a knowledge base to an editor on standard input and output until the input ends."""
    server = build_server(path)
    server.start_io()
    if server.last_check and server.last_check.running():
        os._exit(0)  # Python would wait half a minute for a check that nobody reads
