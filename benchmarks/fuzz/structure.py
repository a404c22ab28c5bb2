"""Changes to HTML, XML and JSON that keep most of their structure, so that they get further in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.fuzz import hostile

_TOKENS = re.compile(rb"<!--.*?-->|<[^<>]*>|[^<]+|<", re.S)
_NAME = re.compile(rb"</?([A-Za-z][\w-]*)")
_ATTRIBUTE = re.compile(rb"""=\s*("[^"]*"|'[^']*')""")
_ELEMENTS = b"p div ul ol li dl dt dd table tr td th h1 h2 h3 pre b a ruby rt span body".split()


def markup(random: Random, data: bytes) -> bytes:
    """Swap, move, repeat, nest, rename, unclose or spoil elements of a document."""
    tokens = _TOKENS.findall(data)
    if not tokens:
        return hostile.piece(random)
    start, end = _element(random, tokens)
    change = random.randrange(10)
    if change == 0:
        del tokens[start:end]
    elif change == 1:
        tokens[start:start] = tokens[start:end] * random.choice((1, 1, 2, 20))
    elif change == 2:
        moved = tokens[start:end]
        del tokens[start:end]
        at = random.randint(0, len(tokens))
        tokens[at:at] = moved
    elif change == 3:
        other = random.randrange(len(tokens))
        tokens[start], tokens[other] = tokens[other], tokens[start]
    elif change == 4:
        tokens[start] = tokens[start] * random.choice((2, 10, 300))
    elif change == 5:
        tokens[start] = _renamed(random, tokens[start])
    elif change == 6:
        del tokens[start]
    elif change == 7:
        tokens[start] = _other_attribute(random, tokens[start])
    elif change == 8:
        tokens[start] += hostile.piece(random)
    else:
        tag = random.choice(_ELEMENTS)
        tokens[start:end] = [b"<%s>" % tag, *tokens[start:end], b"</%s>" % tag]
    return b"".join(tokens)


def _element(random: Random, tokens: list[bytes]) -> tuple[int, int]:
    """Return where a random token is and where the element ends that it begins, if it does."""
    start = random.randrange(len(tokens))
    found = _NAME.match(tokens[start])
    if not found or tokens[start].startswith(b"</"):
        return start, start + 1
    depth = 0
    for place in range(start, min(len(tokens), start + 2000)):
        other = _NAME.match(tokens[place])
        if other and other[1] == found[1]:
            depth += -1 if tokens[place].startswith(b"</") else 1
            if depth == 0:
                return start, place + 1
    return start, start + 1


def _renamed(random: Random, token: bytes) -> bytes:
    return _NAME.sub(lambda found: found[0].replace(found[1], random.choice(_ELEMENTS)), token, 1)


def _other_attribute(random: Random, token: bytes) -> bytes:
    """Return a tag with a value of an attribute replaced; any other token as it is."""
    values = list(_ATTRIBUTE.finditer(token))
    if not values:
        return token
    found = random.choice(values)
    value = hostile.piece(random).replace(b'"', b"'")
    return token[: found.start(1)] + b'"' + value + b'"' + token[found.end(1) :]


def json_value(random: Random, data: bytes) -> bytes:
    """Replace, leave out or repeat a value of a JSON document or of a line of JSON lines.

    Data that is no JSON is returned as it is.
    """
    rows = data.split(b"\n") if data.count(b"\n{") else [data]
    at = random.randrange(len(rows))
    try:
        document = json.loads(rows[at])
    except (ValueError, RecursionError):
        return data
    places = list(_places(document))
    if not places or random.random() < 0.05:
        document = _odd_value(random)
    else:
        holder, key = random.choice(places)
        change = random.randrange(4)
        if change == 0:
            del holder[key]
        elif change == 1 and isinstance(holder, dict):
            holder[hostile.text(random)] = holder[key]
        elif change == 1:
            holder.append(holder[key])
        elif change == 2 and isinstance(holder[key], str):
            holder[key] = _spoilt(random, holder[key])
        else:
            holder[key] = _odd_value(random)
    ascii_only = random.random() < 0.5
    rows[at] = json.dumps(document, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    return b"\n".join(rows)


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (list or object, index or key) of every value in a document."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            for key in list(value) if isinstance(value, dict) else range(len(value)):
                yield value, key
                waiting.append(value[key])


def _spoilt(random: Random, value: str) -> str:
    at = random.randint(0, len(value))
    return value[:at] + hostile.text(random) + value[at:]


def _odd_value(random: Random) -> Any:
    deep: Any = 0
    if random.random() < 0.05:
        for _ in range(200):
            deep = [deep] if random.random() < 0.5 else {"a": deep}
    return random.choice(
        (None, True, 0, -1, 1.5, 10**30, 1e308, float("nan"), "", [], {}, [None], {"": None},
         [[]], [{}], {"file": 1}, deep, hostile.text(random), hostile.text(random) * 50)
    )  # fmt: skip
