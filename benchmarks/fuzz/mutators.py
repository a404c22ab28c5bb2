"""Changes to bytes and to lines of text, none of which knows what they mean."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from benchmarks.fuzz import hostile

Mutator = Callable[[Random, bytes], bytes]


def _span(random: Random, data: bytes) -> tuple[int, int]:
    """Return the start and end of a part of the data, mostly a short one."""
    start = random.randint(0, len(data))
    longest = random.choice((1, 4, 16, 64, 256, 1024, len(data)))
    return start, min(len(data), start + random.randint(0, max(1, longest)))


def flip(random: Random, data: bytes) -> bytes:
    """Change one to eight bytes."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        if changed:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def overwrite(random: Random, data: bytes) -> bytes:
    """Put a byte or four of 0, 255 or anything over some of the data."""
    start = random.randint(0, len(data))
    value = random.choice((0, 255, 127, 128, random.randrange(256)))
    many = random.choice((1, 1, 2, 4))
    return data[:start] + bytes([value]) * many + data[start + many :]


def cut(random: Random, data: bytes) -> bytes:
    """Leave a part out."""
    start, end = _span(random, data)
    return data[:start] + data[end:]


def truncate(random: Random, data: bytes) -> bytes:
    """Leave out the end, or the beginning."""
    at = random.randint(0, len(data))
    return data[:at] if random.random() < 0.7 else data[at:]


def duplicate(random: Random, data: bytes) -> bytes:
    """Repeat a part, once or a few times."""
    start, end = _span(random, data)
    times = random.choice((1, 1, 2, 5, 30)) if end - start < 1000 else 1
    return data[:end] + data[start:end] * times + data[end:]


def move(random: Random, data: bytes) -> bytes:
    """Put a part in another place."""
    start, end = _span(random, data)
    rest = data[:start] + data[end:]
    at = random.randint(0, len(rest))
    return rest[:at] + data[start:end] + rest[at:]


def insert(random: Random, data: bytes) -> bytes:
    """Put a hostile piece anywhere."""
    at = random.randint(0, len(data))
    return data[:at] + hostile.piece(random) + data[at:]


def insert_at_end(random: Random, data: bytes) -> bytes:
    """Put a hostile piece at the beginning or the end."""
    piece = hostile.piece(random)
    return piece + data if random.random() < 0.5 else data + piece


BYTES: tuple[Mutator, ...] = (
    flip, overwrite, cut, truncate, duplicate, move, insert, insert, insert, insert_at_end,
)  # fmt: skip


def splice(random: Random, data: bytes, other: bytes) -> bytes:
    """Join the beginning of one and the end of another, or put a part of one into the other."""
    at = random.randint(0, len(data))
    start, end = _span(random, other)
    if random.random() < 0.5:
        return data[:at] + other[start:]
    return data[:at] + other[start:end] + data[at:]


def lines(random: Random, data: bytes) -> bytes:
    """Swap, join, split, repeat, indent, leave out or spoil lines."""
    rows = data.split(b"\n")
    at, other = (random.randrange(len(rows)) for _ in range(2))
    change = random.randrange(9)
    if change == 0:
        rows[at], rows[other] = rows[other], rows[at]
    elif change == 1:
        rows[at : at + 2] = [b"".join(rows[at : at + 2])]
    elif change == 2:
        middle = random.randint(0, len(rows[at]))
        rows[at : at + 1] = [rows[at][:middle], rows[at][middle:]]
    elif change == 3:
        rows[at:at] = [rows[other]] * random.choice((1, 2, 10, 50))
    elif change == 4:
        del rows[at : at + random.choice((1, 2, 5))]
    elif change == 5:
        rows[at] = random.choice((b" ", b"\t", "　".encode(), b"*", b"-", b"|")) + rows[at]
    elif change == 6:
        rows[at:at] = [hostile.piece(random)]
    elif change == 7:
        rows[at] = _other_digits(random, rows[at])
    else:
        random.shuffle(rows)
    return b"\n".join(rows)


def _other_digits(random: Random, line: bytes) -> bytes:
    """Return a line with digits replaced, one of them perhaps by thousands."""
    if random.random() < 0.1:
        digits = str(random.randrange(10)).encode() * random.choice((20, 400, 5000))
        return digits + line
    return bytes(random.choice(b"0123456789") if 48 <= byte <= 57 else byte for byte in line)
