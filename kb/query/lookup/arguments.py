"""Checks the arguments of questions: of the right type, within range, and a value that is there.

Arguments are checked by their names, which mean the same in every question.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import index
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, cast, get_args

from graphs.model import EdgeKind, Node
from graphs.store.reader import Store
from kb.errors import QuestionError
from kb.language.nearest_value import known_value, nearest, refuse_unknown, shown
from kb.query.lookup.common_filters import Ref
from kb.query.lookup.find_by_reference import nearest_editions, resolve_edition, take_edition_for
from kb.query.lookup.passage_filters import StatementKind
from kb.reason import Argument, Reason

Direction = Literal["in", "out", "both"]
LineOrder = Literal["place", "left", "right"]
Ranking = Literal["cited", "mentioned", "linked"]

# Names of arguments whose value the graph must have; and what the value is called.
_RECORDED = {
    "game": ("game", "game"),
    "source": ("source", "source"),
    "lang": ("lang", "language"),
    "other": ("lang", "language"),
    "edition": ("edition", "edition"),
}
_REFERENCES = frozenset({"ref", "start", "end", "before", "after"})
_IDS = frozenset({"page_id", "node_id"})  # may be empty
_RULES_BY_NUMBER = frozenset({"rule", "under", "chapter"})
_WORDS = frozenset({"text", "words", "typed"})  # to look for; may be empty
_OPTIONAL = frozenset({"rule", "section", "term", "under", "chapter"})
# Characters of words to search for. What is written together is one phrase, and each of its words
# is compared at each of its places in a passage. A guard: any number as large would do; the longest
# passage of 25 rulebooks has 3,344 characters, and nobody searches for so much.
_MOST_SEARCHED = 2_000
_MOST_ASKED = 900  # characters of a question: what Sudachi takes at once, whatever they are
# That may be asked for at once: guards for memory and time, beyond what anyone reads. All results
# go on from where a part ended. Paths are few, as each is searched for.
MOST_LISTED, MOST_PATHS = 10_000, 100
_LISTS_OF_REFERENCES = frozenset({"refs", "mentions", "cites"})
_OF_NODES = _REFERENCES | _LISTS_OF_REFERENCES | _RULES_BY_NUMBER | {"ids", "term"}
# What other arguments may be: one of some words, several of them, or a number in a range. The ends
# of the ranges are guards, above what is of use: any as large would do.
_ALLOWED: Mapping[str, Any] = {
    "by": Ranking,
    "direction": Direction,
    "order": LineOrder,
    "kind": StatementKind,
    "kinds": EdgeKind,
    "most": range(1, 1_000_001),
    "top": range(1, 1001),
    "depth": range(1, 21),
    "width": range(1, 1001),
}
_CALLED = {
    "direction": "direction",
    "order": "sort order",
    "kind": "kind",
    "kinds": "kind of edge",
    "by": "ranking",
}


def check_arguments(
    method: Callable[..., Any],
    store: Store,
    arguments: inspect.BoundArguments,
    filters: type | None,
    allowed: Mapping[str, Any],
) -> None:
    """Replace the arguments of a call by what they mean, as the graph has it: `MTG` by `mtg`, a
    string where a list is meant by a list of it. Arguments of other names stay as they are.

    method: what is called; its name is in messages.
    arguments: what it is called with; changed in place.
    filters: the TypedDict of its keyword arguments `**filters`, if it has any.
    allowed: of arguments that mean something else here: the Literal type of their values, their
        range, or `list` if they are texts of any kind; `(None, range)` if they may also be None,
        and `(None, str)` for where a part of a result ended; `object` if the method checks them
        itself.

    Raises QuestionError for a value that can't be meant, and TypeError for the name of a filter
    that there is not.
    """
    beside = arguments.arguments.get("filters", {}) | arguments.arguments
    for name, value in arguments.arguments.items():
        if name == "filters":
            names = filters.__annotations__ if filters else {}
            arguments.arguments[name] = {
                key: _check(store, _known_name(method, key, names), given, allowed, beside)
                for key, given in value.items()
            }
        elif signature(method).parameters[name].annotation in (bool, "bool"):
            switch_of(name, value)
        else:
            arguments.arguments[name] = _check(store, name, value, allowed, beside)


def checked(refs: Ref | Iterable[Ref]) -> tuple[str, ...]:
    """Return a list of references, as `check_arguments` has left it."""
    return cast("tuple[str, ...]", refs)


def given_arguments(
    method: Callable[..., Any], arguments: inspect.BoundArguments
) -> dict[str, Any]:
    """Return the arguments of a call that are not what they would be anyway, by their names, as far
    as they can be written down: numbers, paths, texts of up to 2,000 characters, and lists of
    these. Longer texts, None and other objects are left out; filters stand among the others."""
    parameters = signature(method).parameters
    given: dict[str, Any] = {}
    for name, value in arguments.arguments.items():
        if name == "filters":
            given |= value
        elif name != "self" and value != parameters[name].default:
            given[name] = value
    return {name: value for name, value in given.items() if _is_short(value)}


def _is_short(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(map(_is_short, value))
    return isinstance(value, int | Path) or (
        isinstance(value, str) and len(value) <= _MOST_SEARCHED
    )


@cache
def signature(method: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function; it is looked up once."""
    return inspect.signature(method)


def text_of(name: str, value: object, *, empty: bool = False) -> str:
    """Return a text argument unchanged.

    name: of the argument, for the message.
    empty: whether it may be empty or all white space.

    Raises QuestionError for anything else: numbers, None, bytes, paths, nodes; and for text that
    can't be stored, as it has half of a surrogate pair.

    >>> text_of("ref", 121.4)
    Traceback (most recent call last):
    kb.errors.QuestionError: ref is the number 121.4; write it as text: "121.4"
    """
    if not isinstance(value, str):
        raise QuestionError(_not_text(name, value))
    if not (empty or value.strip()):
        raise QuestionError("is_empty", argument=Argument(name), example=_example(name))
    try:
        value.encode()
    except UnicodeEncodeError:
        given = ascii(value)[:80]
        raise QuestionError("not_storable", argument=Argument(name), given=given) from None
    return value


def reference_of(name: str, value: object, *, empty: bool = False) -> str:
    """Return a reference as a text: a node, or an entry of a result that is about one, stands for
    its id; where a rule's number is meant, for that. `empty`: as for `text_of`.

    Raises QuestionError for what is neither, and for a node without a number where one is meant.

    >>> rule = Node("mtg/cr/20231117/ja/121.4", "rule", number="121.4")
    >>> reference_of("ref", rule), reference_of("rule", rule), reference_of("ref", "引く")
    ('mtg/cr/20231117/ja/121.4', '121.4', '引く')
    """
    node = getattr(value, "node", value)
    if not isinstance(node, Node):
        return text_of(name, value, empty=empty)
    if name not in _RULES_BY_NUMBER:
        return node.id
    if node.kind != "rule" or not node.number:
        raise QuestionError("no_rule_number", given=node.id)
    return node.number


def words_of(name: str, value: object) -> str:
    """Return an argument that is words to search for, which may be empty, unchanged.

    Raises QuestionError if it is no text or longer than 2,000 characters.

    >>> words_of("text", "引く" * 2_000)
    Traceback (most recent call last):
    kb.errors.QuestionError: text has 4,000 characters; give at most 2,000 to search for
    """
    words = text_of(name, value, empty=True)
    if len(words) > _MOST_SEARCHED:
        sizes = {"characters": len(words), "most": _MOST_SEARCHED}
        raise QuestionError("too_long_to_search", argument=Argument(name), **sizes)
    return words


def _question_of(name: str, value: object) -> str:
    """Return an argument that is a question, unchanged; raises QuestionError if it has more than
    900 characters, or is no text or empty."""
    question = text_of(name, value)
    if len(question) > _MOST_ASKED:
        sizes = {"characters": len(question), "most": _MOST_ASKED}
        raise QuestionError("question_too_long", argument=Argument(name), **sizes)
    return question


def listed(name: str, value: object) -> tuple[str, ...]:
    """Return an argument that is a list of texts, or of references; a single one is a list of one,
    None is empty.

    Raises QuestionError if it is neither (bytes, numbers), or if an entry is no text or empty.

    >>> listed("kinds", "cites"), listed("kinds", None)
    (('cites',), ())
    """
    if value is None:
        return ()
    entry_of = reference_of if name in _OF_NODES else text_of
    if isinstance(value, str) or not isinstance(value, Iterable):
        return (entry_of(name, value),)
    if isinstance(value, bytes | bytearray | memoryview):
        raise QuestionError(_not_text(name, value))
    return tuple(entry_of(name, entry) for entry in value)


def path_of(name: str, value: object) -> Path:
    """Return an argument that names a file or folder, as a path.

    Raises QuestionError if it is neither text nor a path, or empty.

    >>> path_of("path", "sansho.db").name
    'sansho.db'
    """
    if isinstance(value, Path):
        return value
    if isinstance(value, PathLike) and isinstance(given := fspath(value), str):
        return Path(given)
    if not isinstance(value, str) or not value.strip():
        raise QuestionError("no_file_name", argument=Argument(name), given=shown(value), why="")
    return Path(value)


def number_in(name: str, value: Any, allowed: range) -> int:
    """Return an argument that is a whole number within a range.

    Raises QuestionError for anything else.

    >>> number_in("most", 0, range(1, 101))
    Traceback (most recent call last):
    kb.errors.QuestionError: most is 0; give a whole number from 1 to 100
    """
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None or number not in allowed:
        raise QuestionError(
            "not_in_range",
            argument=Argument(name),
            given=shown_as_python(value),
            first=allowed[0],
            last=allowed[-1],
        )
    return number


def shown_as_python(value: object) -> str:
    """Return a value of the wrong type as Python writes it, shortened: a text is quoted.

    >>> shown_as_python("3"), shown_as_python(0)
    ("'3'", '0')
    """
    return shown(repr(value))


def switch_of(name: str, value: object) -> bool:
    """Return an argument that is True or False. Raises QuestionError for anything else.

    >>> switch_of("tree", "yes")
    Traceback (most recent call last):
    kb.errors.QuestionError: tree is 'yes'; give True or False
    """
    if not isinstance(value, bool):
        given = shown_as_python(value)
        raise QuestionError("not_true_or_false", argument=Argument(name), given=given)
    return value


def _check(
    store: Store, name: str, value: Any, allowed: Mapping[str, Any], beside: Mapping[str, Any]
) -> Any:
    """Return what an argument means, by its name; raises QuestionError if it can't be meant. An
    argument of a name that nothing is known of is returned as it is.

    allowed: as for `check_arguments`. beside: the arguments and filters that are given with it.
    """
    if allowed.get(name) is list:
        return listed(name, value)
    if isinstance(allowed.get(name), tuple):
        _, possible = allowed[name]
        if value is None:
            return None
        return _place_of(name, value) if possible is str else number_in(name, value, possible)
    if allowed.get(name) is object:
        return value
    if name in _RECORDED:
        return None if value is None else _recorded(store, name, text_of(name, value), beside)
    if name in _LISTS_OF_REFERENCES:
        return listed(name, value)
    if name in _WORDS:
        return words_of(name, value)
    if name == "question":
        return _question_of(name, value)
    if name in _REFERENCES or name in _IDS:
        return reference_of(name, value, empty=name in _IDS)
    if name in _OPTIONAL:
        of_nodes = name in _OF_NODES
        return None if value is None else (reference_of if of_nodes else text_of)(name, value)
    if name == "out":
        return value if value == "-" else path_of(name, value)
    possible = allowed.get(name, _ALLOWED.get(name))
    if possible is None:
        return value
    if isinstance(possible, range):
        return number_in(name, value, possible)
    words = get_args(possible)
    called = _CALLED.get(name, name)
    if name in allowed and name == "kinds":
        called = "kind"
    if name == "kinds":
        # With commas between them, as on the command line.
        value = value.split(",") if isinstance(value, str) and value.strip() else value
        return tuple(known_value(called, kind.strip(), words) for kind in listed(name, value))
    if value is None and name == "kind":
        return None
    return known_value(called, text_of(name, value), words)


def _recorded(store: Store, name: str, given: str, beside: Mapping[str, Any]) -> str:
    """Return the value of a node that is meant; an edition may be given in any form. If it is given
    by the date of its file, that is kept for the answer. Raises QuestionError, with the nearest
    values, if no node has it.

    beside: the game and language given with an edition say whose it is, if they are known.
    """
    column, called = _RECORDED[name]
    known = store.values()[column]
    if name == "edition":
        game, lang = (
            beside.get(each) if beside.get(each) in store.values()[each] else None
            for each in ("game", "lang")
        )
        resolved = resolve_edition(store, given, game, lang)
        if resolved in known:
            take_edition_for(given, resolved)
            return resolved
        of_game = {edition for one, edition, _ in store.editions() if one == game}
        there_are = of_game or known  # another game's dates would only be noise
        refuse_unknown(called, given, there_are, nearest_editions(resolved, there_are))
    return known_value(called, given, known)


def _known_name(method: Callable[..., Any], name: str, names: Iterable[str]) -> str:
    """Return the name of a filter, unchanged; raises TypeError, as Python does, with the nearest
    name, if there is none."""
    if name not in names:
        near = nearest(name, names, 1)
        hint = f". Did you mean {near[0]!r}?" if near else ""
        raise TypeError(f"{method.__name__}() got an unexpected keyword argument {name!r}{hint}")
    return name


def _place_of(name: str, value: object) -> str:
    """Return where a part of a result ended, as its `more` says it or as `more` itself, as a text,
    which may be empty; QuestionError for what is neither."""
    if isinstance(value, Reason) and value.ask:  # `more` itself
        value = value.ask.arguments.get(name)
    if not isinstance(value, str):
        given = shown_as_python(value)
        raise QuestionError("no_place_in_list", argument=Argument(name), given=given)
    return text_of(name, value, empty=True)


def _not_text(name: str, value: object) -> Reason:
    """Return the reason for an argument that should be text; it says what to write instead."""
    argument = Argument(name)
    if isinstance(value, bool | int | float):
        if name in _CALLED:
            # `top(10)`: what was meant is the number of another argument.
            return Reason("is_number", argument=argument, number=str(value), example=_example(name))
        return Reason("is_number_not_text", argument=argument, number=str(value))
    example = _example(name)
    if name in _OF_NODES and example.code in ("give_reference", "give_text"):
        example = Reason("give_node")
    return Reason("not_text", argument=argument, given=shown(value), example=example)


def _example(name: str) -> Reason:
    """Return what to give for an argument, as a message: an edition, kinds, one of some words, a
    question, a reference, or else text."""
    if name in {"before", "after", "edition"}:
        return Reason("give_edition")
    if name in {"kinds", "dangling"}:
        return Reason("give_edge_kinds")
    if choices := get_args(_ALLOWED.get(name)):
        return Reason("give_one_of", choices=choices)
    if name == "question":
        return Reason("give_question")
    if name in _REFERENCES or name in _LISTS_OF_REFERENCES:
        return Reason("give_reference")
    return Reason("give_text")
