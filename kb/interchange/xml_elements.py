"""Reads elements of an XML file from anybody, one after the other: no entities, bounded memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

from lxml import etree

from kb.errors import SourceError
from kb.language.nearest import shown

_SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
_CHUNK = 1 << 15  # bytes
_MOST_BETWEEN = 1 << 23  # bytes of one element, or of what stands before it
_COMPRESSED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ")


def stream_elements(
    file: BinaryIO, name: str, roots: Collection[str], tags: Collection[str], expected: str
) -> Iterator[etree._Element]:
    """Yield the elements with given names, each complete, in the order of their ends.

    Names are without namespaces: an element of any namespace counts. What was yielded is emptied
    when the next one is asked for, so that a file of any length takes little memory. A DOCTYPE
    may be there, but nothing that it names is loaded.

    name: the file's name, for messages.
    roots: the names that the root element may have.
    expected: what such a file is called, for messages: `TBX (root element tbx or martif)`.

    Raises SourceError if the file is not such a file, is not well-formed, declares entities, has
    no such element although its body is not empty, or one that takes more than 8 MB.
    """
    source = _Source(file, name)
    _check_beginning(source, roots, expected)
    events = etree.iterparse(source, events=("end",), tag=[f"{{*}}{tag}" for tag in tags], **_SAFE)
    is_empty = True
    try:
        for _, element in events:
            source.read_since = 0
            is_empty = False
            yield element
            _empty(element)
    except etree.LxmlError as error:
        raise _malformed(name, error) from error
    if is_empty and not _has_empty_body(events.root):
        raise SourceError(
            f"{name}: none of the elements {', '.join(tags)} is in it; {expected} was expected"
        )


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace; empty for anything else in a tree."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


class _Source:
    """A file that is read on from its beginning after that was looked at.

    read_since: how many bytes were read since the last element.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.file = file
        self.name = name
        self.read_since = 0
        self._again: list[bytes] = []

    def read(self, size: int = _CHUNK) -> bytes:
        """Return the next bytes; raise SourceError if too many have passed without an element."""
        if self._again:
            return self._again.pop()
        data = self.file.read(_CHUNK)
        self.read_since += len(data)
        if self.read_since > _MOST_BETWEEN:
            raise SourceError(
                f"{self.name}: more than {_MOST_BETWEEN >> 20} MB without the end of an entry; "
                "split the file into smaller entries"
            )
        return data

    def read_again(self, chunks: list[bytes]) -> None:
        """Let these bytes come first when it is read next."""
        self._again = chunks[::-1]


def _check_beginning(source: _Source, roots: Collection[str], expected: str) -> None:
    """Read a file up to its root element, check that, and let it be read again."""
    chunks = [source.read()]
    if not chunks[0].strip() and len(chunks[0]) < _CHUNK:
        raise SourceError(f"{source.name} is empty; {expected} was expected")
    if chunks[0].startswith(_COMPRESSED):
        raise SourceError(f"{source.name} is compressed; unpack it first")
    parser = etree.XMLPullParser(events=("start",), **_SAFE)
    while (root := _fed(parser, chunks[-1], source.name)) is None:
        chunks.append(source.read())
    _check_root(root, source.name, roots, expected)
    source.read_again(chunks)


def _fed(parser: etree.XMLPullParser, data: bytes, name: str) -> etree._Element | None:
    """Let a parser take some bytes, and return the root element if it has begun.

    Raises SourceError if an error comes before it, or there are no more bytes.
    """
    failure = None
    try:
        if data:
            parser.feed(data)
        else:
            parser.close()
    except etree.LxmlError as error:
        failure = error
    for _, root in parser.read_events():
        assert isinstance(root, etree._Element)
        return root
    if failure:
        raise _malformed(name, failure) from failure
    return None


def _check_root(root: etree._Element, name: str, roots: Collection[str], expected: str) -> None:
    if local_name(root) not in roots:
        found = shown(local_name(root))
        raise SourceError(f"{name}: its root element is {found}, but {expected} was expected")
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None and declared.entities():
        raise SourceError(
            f"{name}: its DOCTYPE declares entities, which are not read; "
            "write the characters themselves, and leave the declarations out"
        )


def _malformed(name: str, error: etree.LxmlError) -> SourceError:
    what = (
        " ".join(str(error.msg if isinstance(error, etree.XMLSyntaxError) else error).split())
        or "it breaks off"
    )
    return SourceError(f"{name}: not well-formed XML: {shown(what)}; mend it or export it again")


def _has_empty_body(root: etree._Element) -> bool:
    bodies = list(root.iter("{*}body"))
    return bool(bodies) and not any(len(body) for body in bodies)


def _empty(element: etree._Element) -> None:
    """Empty an element, and take out all of the tree that stands before it."""
    element.clear()
    child = element
    for parent in element.iterancestors():
        while child.getprevious() is not None:
            del parent[0]
        child = parent
