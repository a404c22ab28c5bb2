"""Checks the arguments of a build that name files, count or switch: they are of the right type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from errno import ENAMETOOLONG
from operator import index
from os import PathLike, fspath, lstat
from pathlib import Path

from kb.errors import QuestionError
from kb.reason import Argument
from scraper.sources.files import kind_of_no_file
from scraper.sources.remote import is_remote


def sources_given(sources: object) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Return sources as paths, and those that are addresses such as `s3://bucket/pages` as texts;
    one alone is one source, not its characters.

    Raises QuestionError for what is no path, and for an empty one, which would be this folder.
    """
    given = [sources] if isinstance(sources, str | PathLike) else sources
    if isinstance(given, Iterator):
        given = list(given)
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise QuestionError("no_source", argument=Argument("sources"), given=repr(given))
    for source in given:
        if not isinstance(source, str | PathLike) or not str(source).strip():
            raise QuestionError("no_source", argument=Argument("sources"), given=repr(source))
    texts = [str(source) for source in given]
    urls = tuple(_without_slash(text) for text in texts if is_remote(text))
    return tuple(Path(text) for text in texts if not is_remote(text)), urls


def _without_slash(url: str) -> str:
    """Return the address of a folder as it is without a slash behind it: the same for both."""
    bare = url.rstrip("/")
    return url if bare.endswith(":") else bare


def path_given(name: str, value: object) -> Path:
    """Return an argument that names a file. Raises QuestionError if it is no path, or empty, or
    can't be a name on this system, or names a pipe, a socket or a device.

    name: of the argument, for the message.

    >>> path_given("kb", "a\\0.db")
    Traceback (most recent call last):
    kb.errors.QuestionError: kb is 'a\\x00.db'; give the name of a file: embedded null byte
    """
    path = fspath(value) if isinstance(value, str | PathLike) else None
    if not isinstance(path, str) or not path.strip():
        raise QuestionError("no_file_name", argument=Argument(name), given=repr(value), why="")
    if why := why_no_name(path):
        given = ascii(path[:60])
        raise QuestionError("no_file_name", argument=Argument(name), given=given, why=why)
    kind = kind_of_no_file(path)
    if kind and kind != "a folder":
        raise QuestionError("no_file_but", argument=Argument(name), given=repr(value), kind=kind)
    return Path(path)


def why_no_name(path: str) -> str:
    """Return why no file can have a name; empty if one can."""
    try:
        lstat(path)
    except ValueError as error:  # NUL, half a surrogate pair
        return str(error)
    except OSError as error:
        return str(error.strerror) if error.errno == ENAMETOOLONG else ""
    return ""


def check_functions(given: Mapping[str, object]) -> None:
    """Raise QuestionError if one of some arguments, by their names, is neither a function nor
    None."""
    for name, value in given.items():
        if value is not None and not callable(value):
            raise QuestionError("no_function", argument=Argument(name), given=repr(value))


def number_of_workers(value: object) -> int:
    """Return the argument `workers`. Raises QuestionError if it is no whole number from 1.

    >>> number_of_workers("2")
    Traceback (most recent call last):
    kb.errors.QuestionError: workers is '2'; give a whole number from 1
    """
    try:
        number = 0 if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if number < 1:
        raise QuestionError("no_number", argument=Argument("workers"), given=repr(value))
    return number


def check_switches(given: Mapping[str, object]) -> None:
    """Raise QuestionError if one of some arguments, by their names, is neither True nor False."""
    for name, value in given.items():
        if not isinstance(value, bool):
            raise QuestionError("not_true_or_false", argument=Argument(name), given=repr(value))
