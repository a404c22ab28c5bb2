"""An editor for tests: pygls' own client beside the real process, over its standard streams."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).parents[2]


class Editor:
    """An editor with a folder: it opens texts, keeps what the server sends, and applies edits."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.client = folder, LanguageClient("editor", "1")
        self.texts: dict[str, str] = {}
        self.messages: list[str] = []
        self._versions: dict[str, int] = {}
        self._sent: dict[str, asyncio.Queue[types.PublishDiagnosticsParams]] = {}
        # lsprotocol takes an action that has a command for a command.
        converter = self.client.protocol._converter
        converter.register_structure_hook(
            types.Command | types.CodeAction,
            lambda given, _: converter.structure(given, types.CodeAction),
        )

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self._queue(params.uri).put_nowait(params)

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

    def _queue(self, uri: str) -> asyncio.Queue[types.PublishDiagnosticsParams]:
        return self._sent.setdefault(uri, asyncio.Queue())

    async def start(self, kb_file: Path, settings: Any, forms: list[str] | None) -> None:
        code = "from kb.cli import main; main()"
        await self.client.start_io(sys.executable, "-c", code, "lsp", "--kb", str(kb_file))
        hover = types.HoverClientCapabilities(content_format=forms)  # type: ignore[arg-type]
        await self.client.initialize_async(
            types.InitializeParams(
                types.ClientCapabilities(
                    text_document=types.TextDocumentClientCapabilities(hover=hover)
                ),
                root_uri=self.folder.as_uri(),
                initialization_options=settings,
            )
        )
        self.client.initialized(types.InitializedParams())

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def open(self, name: str, text: str) -> list[types.Diagnostic]:
        """Open a text, and return what is wrong with it."""
        uri = self.uri(name)
        self.texts[uri], self._versions[uri] = text, 1
        item = types.TextDocumentItem(uri, "text", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.problems(name)

    async def change(self, name: str, text: str) -> list[types.Diagnostic]:
        """Change a text, and return what is wrong with it then."""
        uri = self.uri(name)
        self._versions[uri] += 1
        self.texts[uri] = text
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[uri], uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return await self.problems(name)

    async def problems(self, name: str) -> list[types.Diagnostic]:
        """Return what the server sends next of the newest version of a text."""
        uri = self.uri(name)
        while True:
            params = await asyncio.wait_for(self._queue(uri).get(), 60)
            if params.version in (None, self._versions[uri]):
                return list(params.diagnostics)

    async def hover(self, name: str, line: int, units: int) -> types.Hover | None:
        return await self.client.text_document_hover_async(
            types.HoverParams(
                types.TextDocumentIdentifier(self.uri(name)), types.Position(line, units)
            )
        )

    async def definition(self, name: str, line: int, units: int) -> Any:
        return await self.client.text_document_definition_async(
            types.DefinitionParams(
                types.TextDocumentIdentifier(self.uri(name)), types.Position(line, units)
            )
        )

    async def actions(
        self, name: str, range: types.Range, only: list[str] | None = None
    ) -> list[types.CodeAction]:
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri(name)),
                range,
                types.CodeActionContext([], only=only),  # type: ignore[arg-type]
            )
        )
        return [one for one in found or [] if isinstance(one, types.CodeAction)]

    async def apply(self, name: str, action: types.CodeAction) -> list[types.Diagnostic]:
        """Do what a code action says, as an editor does: its edits, then its command; return what
        is wrong with the text then."""
        assert action.edit and action.edit.changes
        uri = self.uri(name)
        found = await self.change(name, edited(self.texts[uri], action.edit.changes[uri]))
        if action.command:
            await self.client.workspace_execute_command_async(
                types.ExecuteCommandParams(action.command.command, action.command.arguments)
            )
            found = await self.problems(name)
        return found


def whole(text: str) -> types.Range:
    """Return the range of all of a text."""
    return types.Range(types.Position(0, 0), types.Position(text.count("\n") + 1, 0))


def edited(text: str, edits: Any) -> str:
    """Return a text with edits applied, by positions in UTF-16."""
    lines = text.split("\n")

    def offset(place: types.Position) -> int:
        before = sum(len(line) + 1 for line in lines[: place.line])
        units = lines[place.line].encode("utf-16-le")[: 2 * place.character]
        return before + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda one: offset(one.range.start), reverse=True):
        start, end = offset(edit.range.start), offset(edit.range.end)
        text = text[:start] + edit.new_text + text[end:]
    return text


def with_editor(
    folder: Path,
    kb_file: Path,
    work: Callable[[Editor], Awaitable[Any]],
    settings: Mapping[str, Any] | None = None,
    forms: list[str] | None = None,
) -> Any:
    """Return what a function returns of an editor whose server holds texts against a base."""

    async def run() -> Any:
        editor = Editor(folder)
        await editor.start(kb_file, settings, forms)
        try:
            return await work(editor)
        finally:
            await editor.client.shutdown_async(None)
            editor.client.exit(None)
            await editor.client.stop()

    return asyncio.run(run())
