"""A site meant to hurt a crawler, which knows what a good crawler makes of it.

Sixty articles in a MediaWiki's frame link to each other as a tree with cycles; round them stand
plain pages whose answers are of every kind that servers give: moved, gone, busy, slow, cut off,
wrongly declared, endless. All texts are made up.

What a crawl owes is in four sets of places (see `tests.testsite.place`):

- `good`: each must be kept once, with the body that `bodies` has for it;
- `bad`: may be asked for, and must never be kept: no page comes of it, or not all of one;
- `undecoded`: in a folder as `bad`; in a WARC they may stand as they were served;
- `never`: must not be asked for at all (`forbidden` tells it of any address).

What is in none of them is left to the crawler: a page marked noindex, an image declared as HTML.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import re
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from html import escape
from random import Random
from typing import Any
from urllib.parse import quote, urljoin

from benchmarks.markup import Article, Block, mediawiki, mediawiki_title
from benchmarks.prose import CONCEPTS, OPENINGS, SENTENCES, Link, sentence
from tests.testsite import HTML, Answer, Asked, Server, head, place, serving

_ROBOTS = """\
User-agent: *
Disallow: /private/
Allow: /private/open/
Disallow: /trap/
Disallow: /index.php
Disallow: /secret/
Disallow: /*.cgi$
"""
_FORBIDDEN = re.compile(
    r"/private/(?!open/)|/trap/|/index\.php|/secret/|.*\.cgi$|/unfollowed/|/elsewhere"
)
_TIRESOME = {
    "/busy/healing", "/busy/silent", "/busy/odd", "/gone/500", "/odd/unended", "/odd/status",
    "/odd/garbage", "/odd/bad-length", "/endless/header",
}  # fmt: skip
_BOMB = 300  # MB that a body of some hundred kB unpacks to
_LOOP = 60  # the hops of the redirects that lead ever further; a crawler asks for far fewer
_PATIENCE = 1  # seconds that busy pages ask for
Reply = Answer | Callable[[Asked], Answer]
_LAST = ("Connection", "close")
_PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


def page(title: str, *lines: str, head: str = "") -> bytes:
    """A plain HTML page."""
    body = "\n".join(f"<p>{line}</p>" for line in lines)
    top = f'<!DOCTYPE html>\n<html lang="ja"><head><meta charset="UTF-8"><title>{title}</title>'
    return f"{top}{head}</head>\n<body><h1>{title}</h1>\n{body}\n</body></html>\n".encode()


def links(hrefs: Iterable[str], attributes: str = "") -> list[str]:
    """A line with a link for each address."""
    return [f'<a {attributes} href="{escape(href)}">行き先</a>' for href in hrefs]


_MISSING = Answer(404, page("見つからない"))


@dataclass(slots=True)
class Inviting:
    """What stands where no crawler was sent: a page at every address, which links on."""

    base: str = ""
    start: str = "/"

    def answer(self, asked: Asked) -> Answer:
        return Answer(body=page("よその家", *links([f"/further{asked.target}"])))


@dataclass
class Hurtful:
    """The site. `outside` are addresses of other servers, which its links and redirects tell;
    `patience` are the seconds that a busy page asks for. On a `brief` site some are missing of
    the pages that a crawler may well try again after a while."""

    articles: int = 60
    patience: int = _PATIENCE
    brief: bool = False
    outside: tuple[str, ...] = ()
    start: str = "/"
    base: str = ""
    good: set[str] = field(default_factory=set)
    bad: set[str] = field(default_factory=set)
    undecoded: set[str] = field(default_factory=set)
    never: set[str] = field(default_factory=set)
    bodies: dict[str, bytes] = field(default_factory=dict)
    tries: Counter[str] = field(default_factory=Counter)
    _answers: dict[str, Reply] = field(default_factory=dict)

    def forbidden(self, target: str) -> bool:
        """Whether an address, however it is spelt, must not be asked for: robots.txt says so, or
        only links lead there that are not to be followed."""
        return bool(_FORBIDDEN.match(place(urljoin("http://-/", place(target)))))

    def answer(self, asked: Asked) -> Answer:
        where = asked.place
        self.tries[where] += 1
        if where == "/robots.txt":
            return Answer(body=_ROBOTS.encode(), content_type="text/plain")
        if self.forbidden(asked.target):
            return Answer(body=page("来てはいけない所", *links([f"{asked.target}/more"])))
        answer = self._answers.get(where, _MISSING)
        return answer if isinstance(answer, Answer) else answer(asked)

    def build(self) -> None:
        """Make the pages, when it is known where the site stands and what stands beside it."""
        self._wiki()
        parts = (
            self._spelt,
            self._moved,
            self._out,
            self._busy,
            self._slow,
            self._odd,
            self._packed,
            self._endless,
            self._manners,
            self._maze,
        )
        hubs = [part() for part in parts]
        roots = [self._title(0), *hubs]
        self._keep("/", page("入口", *links(roots), *links(["/moved/home", "#top", ""])))
        if self.brief:
            for where in _TIRESOME:
                del self._answers[where]
            self.good -= _TIRESOME
            self.bad -= _TIRESOME

    def _put(self, where: str, answer: Reply) -> str:
        """Let an address answer; gives the address as a link has it."""
        self._answers[where] = answer
        return quote(where, safe="/?=&")

    def _keep(self, where: str, body: bytes, content_type: str = HTML) -> str:
        """A page that must be kept; it can be asked for anew at no cost."""
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        answer = Answer(200, body, content_type, (("ETag", tag),))

        def reply(asked: Asked) -> Answer:
            return Answer(304) if asked.headers.get("if-none-match") == tag else answer

        return self._good(where, body, reply)

    def _good(self, where: str, body: bytes, answer: Reply) -> str:
        """A page that must be kept, however it is served."""
        self.good.add(where)
        self.bodies[where] = body
        return self._put(where, answer)

    def _spoilt(self, where: str, answer: Reply) -> str:
        """An address of which nothing must be kept."""
        self.bad.add(where)
        return self._put(where, answer)

    def _title(self, rank: int) -> str:
        return f"/wiki/{mediawiki_title(self._name(rank))}"

    def _name(self, rank: int) -> str:
        return f"{CONCEPTS[rank % len(CONCEPTS)]}{rank or ''}"

    def _wiki(self) -> None:
        """Articles: each leads to the two below it, the one above it, and a few others."""
        for rank in range(self.articles):
            rng = Random(rank)
            near = {2 * rank + 1, 2 * rank + 2, (rank - 1) // 2 if rank else 0, rank}
            near |= {rng.randrange(self.articles) for _ in range(3)}
            ranks = sorted(other for other in near if other < self.articles)
            items = [Block("item", (Link(self._name(other), True),)) for other in ranks]
            items.append(Block("item", (Link(f"無い頁{rank}", False),)))  # an edit link
            lead = sentence(OPENINGS, rng, lambda: "語") + sentence(SENTENCES, rng, lambda: "語")
            blocks = (Block("lead", tuple(lead)), Block("heading", ("関連",)), *items)
            name = self._name(rank)
            body = mediawiki(Article(name, name, "", rank + 1, blocks))
            self._keep(f"/wiki/{name}", body.replace(b"http://mtgwiki.com", self.base.encode()))

    def _spelt(self) -> str:
        """Pages that are one, by several spellings of their addresses."""
        host = self.base.removeprefix("http:")
        self._keep("/spelt/a b", page("綴り", *links(["あ", "tilde~x"])))
        self._keep("/spelt/あ", page("仮名の綴り"))
        self._keep("/spelt/tilde~x", page("波の綴り"))
        self._keep("/spelt/query?a=1&b=2", page("問いの綴り"))
        self._keep("/based/deep/leaf", page("下の葉"))
        self._keep("/based/top", page("土台", *links(["leaf"]), head='<base href="/based/deep/">'))
        spellings = [
            "a%20b",
            "./a%20b",
            "/spelt/a%20b#part",
            "/spelt/x/../a%20b",
            f"{host}/spelt/a%20b",
            f"{self.base}/spelt/a%20b",
            f"{self.base.replace('http', 'HTTP')}/spelt/a%20b#x",
            "  a%20b\n",
            "/spelt/%61%20b",
            "/../spelt/a%20b",
            "a b",
            "/spelt/%E3%81%82",
            "/spelt/%e3%81%82",
            "あ",
            "tilde%7Ex",
            "tilde%7ex",
            "query?a=1&b=2",
            "/based/top",
        ]
        return self._keep("/spelt/", page("綴りの家", *links(spellings)))

    def _moved(self) -> str:
        """Redirects that stay on the site, and loops."""
        hops = []
        for status in (301, 302, 303, 307, 308):
            self._keep(f"/landing/{status}", page(f"{status}の着く所"))
            hops.append(self._redirect(f"/moved/{status}", f"/landing/{status}", status))
        self._keep("/landing/relative", page("近くの着く所"))
        hops.append(self._redirect("/moved/relative", "../landing/relative#part"))
        self._keep("/landing/absolute", page("遠くの着く所"))
        hops.append(self._redirect("/moved/absolute", f"{self.base}/landing/absolute"))
        self._keep("/landing/chain", page("鎖の着く所", *links(["/moved/home"])))
        for step in (1, 2, 3):
            after = f"/chain/{step + 1}" if step < 3 else "/landing/chain"
            self._redirect(f"/chain/{step}", after, 301 + step % 2)
        self._redirect("/moved/home", "/")
        self._redirect("/moved/root", self._title(0), 302)  # to a page that is linked besides
        self._redirect("/moved/private", "/private/by-redirect", 302)
        self._redirect("/loop/one", "/loop/one")
        self._redirect("/loop/two", "/loop/back")
        self._redirect("/loop/back", "/loop/two", 302)
        for hop in range(_LOOP):
            self._redirect(f"/loop/many?{hop}", f"/loop/many?{hop + 1}", 302)
        self._spoilt("/loop/nowhere", Answer(302))  # no Location
        broken = Answer(301, headers=(("Location", "http://["),))
        self._spoilt("/loop/broken", broken)
        hops += ["/chain/1", "/chain/2", "/moved/home", "/moved/root", "/moved/private"]
        hops += [f"/loop/{name}" for name in ("one", "two", "many?0", "nowhere", "broken")]
        return self._keep("/moved/", page("引っ越し", *links(hops)))

    def _redirect(self, where: str, target: str, status: int = 301) -> str:
        answer = Answer(status, page("移転"), headers=(("Location", target),))
        return self._spoilt(where, answer)

    def _out(self) -> str:
        """Links and redirects that leave the site, by host, port, scheme or trickery."""
        host, port = self.base.removeprefix("http://").split(":")
        targets = [
            *(f"{other}/elsewhere{n}" for n, other in enumerate(self.outside)),
            f"http://localhost:{port}/elsewhere/by-name",
            f"https://{host}:{port}/elsewhere/tls",
            f"http://[::ffff:{host}]:{port}/elsewhere/mapped",
            f"http://2130706433:{port}/elsewhere/decimal",
            f"http://0x7f.1:{port}/elsewhere/hex",
            "file:///etc/hostname",
            "http://169.254.169.254/elsewhere",
            "http://192.0.2.1/elsewhere",
            "ftp://127.0.0.1/elsewhere",
            "http://sansho.invalid/elsewhere",
        ]
        if self.outside:
            port_outside = self.outside[0].rpartition(":")[2]
            targets.append(f"{self.base}@{host}:{port_outside}/elsewhere/userinfo")
            targets.append(f"//{host}:{port_outside}/elsewhere/schemeless")
        for n, target in enumerate(targets):
            self._redirect(f"/out/{n}", target, (301, 302, 307, 308)[n % 4])
        others = [
            "mailto:a@sansho.invalid",
            "javascript:void(0)",
            "data:text/html,x",
            "tel:1",
            "about:blank",
            "http://[",
            "http://:80/",
            f"http://{host}:99999/",
            "http://",
            "//",
            "\x7f",
            "http://%00/",
            "?",
            "x" * 9000,
        ]
        hrefs = [*(f"/out/{n}" for n in range(len(targets))), *targets, *others]
        return self._keep("/out/", page("外への道", *links(hrefs)))

    def _busy(self) -> str:
        """Answers that say: not now, or never."""
        made = []
        for name, status, many, wait in (
            ("seconds", 429, 2, "seconds"),
            ("date", 429, 1, "date"),
            ("silent", 503, 1, ""),
            ("healing", 503, 1, "seconds"),
            ("zero", 429, 1, "zero"),
            ("odd", 503, 1, "soon"),
        ):
            body = page(f"混んでいた {name}")
            made.append(self._good(f"/busy/{name}", body, self._heals(status, many, wait, body)))
        made.append(self._spoilt("/busy/never", self._heals(503, 10**9, "seconds", b"")))
        for status in (404, 410, 500):
            gone = Answer(status, page(f"誤り {status}", *links(["/unfollowed/error"])))
            made.append(self._spoilt(f"/gone/{status}", gone))
        self._spoilt("/gone/nothing", Answer(200, raw=lambda: iter(())))
        return self._keep("/busy/", page("混む所", *links([*made, "/gone/nothing"])))

    def _heals(self, status: int, many: int, wait: str, body: bytes) -> Callable[[Asked], Answer]:
        """Busy for the first so many requests, good then."""

        def reply(asked: Asked) -> Answer:
            if self.tries[asked.place] > many:
                return Answer(body=body)
            date = formatdate(time.time() + self.patience + 1, usegmt=True)
            said = {"seconds": str(self.patience), "zero": "0", "date": date}.get(wait, wait)
            return Answer(status, page("後で"), headers=(("Retry-After", said),) if said else ())

        return reply

    def _slow(self) -> str:
        """Whole pages that take their time."""
        body = page("遅い頁", *["待てば来る"] * 20)
        whole = head(200, ("Content-Type", HTML), ("Content-Length", str(len(body))), _LAST) + body

        def late() -> Iterator[bytes]:
            time.sleep(0.5)
            yield whole

        def dripping() -> Iterator[bytes]:
            step = len(whole) // 25 + 1
            for start in range(0, len(whole), step):
                yield whole[start : start + step]
                time.sleep(0.02)

        made = [
            self._good("/slow/late", body, Answer(raw=late)),
            self._good("/slow/dripping", body, Answer(raw=dripping)),
        ]
        return self._keep("/slow/", page("遅い所", *links(made)))

    def _odd(self) -> str:
        """Bodies that are cut off, and declarations that are wrong."""
        body = page("半分の頁", *["後の半分は来ない"] * 30)
        half = body[: len(body) // 2]
        chunk = b"%x\r\n%s\r\n" % (len(half), half)
        chunked = ("Transfer-Encoding", "chunked")
        cut = gzip.compress(body * 20)[:-30]
        spoilt = {
            "short": self._sent(half, ("Content-Length", str(len(body)))),
            "unended": self._sent(chunk, chunked),
            "unchunked": self._sent(chunk + b"zz\r\nrest", chunked),
            "gzip-cut": self._sent(
                cut, ("Content-Encoding", "gzip"), ("Content-Length", str(len(cut)))
            ),
            "status": Answer(raw=lambda: iter([b"HTTP/1.1 abc\r\n\r\n"])),
            "garbage": Answer(raw=lambda: iter([b"\x00\xff" * 50])),
            "bad-length": self._sent(body, ("Content-Length", "many")),
        }
        made = [self._spoilt(f"/odd/{name}", answer) for name, answer in spoilt.items()]
        left = {
            "image": Answer(body=_PNG),
            "download": Answer(body=body, content_type="application/octet-stream"),
            "untyped": Answer(body=body, content_type=""),
            "picture.png": Answer(body=_PNG, content_type="image/png"),
            "empty": Answer(),
            "nothing": Answer(204),
        }
        made += [self._put(f"/odd/{name}", answer) for name, answer in left.items()]
        made.append(self._put("/odd/smuggled", self._smuggled(body)))
        made.append(self._keep("/odd/charset", page("文字の取り違え"), "text/html; charset=EUC-JP"))
        made.append(self._keep("/odd/unknown", page("無い文字集合"), "text/html; charset=none"))
        made += [self._keep(f"/odd/after{n}", page(f"後の頁 {n}")) for n in range(3)]
        return self._keep("/odd/", page("おかしな所", *links(made)))

    def _sent(self, body: bytes, *headers: tuple[str, str]) -> Answer:
        """An answer whose body is sent as it is, whatever the headers say; then it ends."""
        sent = head(200, ("Content-Type", HTML), *headers, _LAST) + body
        return Answer(raw=lambda: iter([sent]))

    def _smuggled(self, body: bytes) -> Answer:
        """An answer with another answer behind it, as if the next page had been asked for."""
        false = page("偽の頁")
        bytes_ = b"".join(
            head(200, ("Content-Type", HTML), ("Content-Length", str(len(text)))) + text
            for text in (body, false)
        )
        return Answer(raw=lambda: iter([bytes_]), kept=True)

    def _packed(self) -> str:
        """Bodies in codings that are right, and in some that are not what they say."""
        made = []
        for name, coding, pack in (
            ("gzip", "gzip", gzip.compress),
            ("chunked", "", _as_is),
            ("both", "gzip", gzip.compress),
        ):
            body = page(f"包み {name}", *["同じ文が続く"] * 50)
            packed = pack(body)
            headers = [("Content-Encoding", coding)] if coding else []
            if name == "gzip":
                headers.append(("Content-Length", str(len(packed))))
            else:
                headers.append(("Transfer-Encoding", "chunked"))
                packed = _chunks(packed)
            made.append(self._good(f"/packed/{name}", body, self._sent(packed, *headers)))
        body = page("包みではない", *["裸の文"] * 10)
        wrong = {
            "not-gzip": ("gzip", body),
            "br": ("br", b"\x8b\x03\x80" + _PNG),
            "unknown": ("sansho", _PNG),
        }
        for name, (coding, packed) in wrong.items():
            answer = self._sent(
                packed, ("Content-Encoding", coding), ("Content-Length", str(len(packed)))
            )
            self.undecoded.add(f"/packed/{name}")
            made.append(self._put(f"/packed/{name}", answer))
        packed = zlib.compress(body)
        deflated = self._sent(
            packed, ("Content-Encoding", "deflate"), ("Content-Length", str(len(packed)))
        )
        made.append(self._put("/packed/deflate", deflated))
        made.append(self._spoilt("/packed/bomb", Answer(raw=_bomb)))
        return self._keep("/packed/", page("包みの家", *links(made)))

    def _endless(self) -> str:
        """What has no end: bodies, headers."""
        endless = {
            "body": _endless_body,
            "chunks": _endless_chunks,
            "header": _endless_header,
            "headers": _endless_headers,
        }
        made = [self._spoilt(f"/endless/{name}", Answer(raw=raw)) for name, raw in endless.items()]
        return self._keep("/endless/", page("終わらない所", *links(made)))

    def _manners(self) -> str:
        """What is not to be followed: by robots.txt, by a page's own word, by a link's."""
        self._keep("/private/open/door", page("開いた扉"))
        nofollow, noindex = (
            f'<meta name="ROBOTS" content="{word}">' for word in ("NOFOLLOW", "noindex")
        )
        unread = Answer(body=page("載せないで", *links(["/manners/behind"]), head=noindex))
        self._keep(
            "/manners/nofollow", page("続きは見ないで", *links(["/unfollowed/meta"]), head=nofollow)
        )
        self._put("/manners/noindex", unread)
        self._put("/manners/behind", Answer(body=page("載せない頁の先")))
        followed = ["/private/open/door", "/manners/nofollow", "/manners/noindex"]
        forbidden = [
            "/private/",
            "/private/page",
            "/se%63ret/page",
            "/secret/%E3%81%82",
            "/manners/../private/x",
            "/manners/%2e%2e/private/y",
            "/private/open/../closed",
            "/trap/1",
            "//" + self.base.removeprefix("http://") + "/trap/2",
            "/run.cgi",
            "/index.php?title=X&action=edit",
            f"{self.base}/private/absolute",
        ]
        unfollowed = links(["/unfollowed/link"], 'rel="external NoFollow"')
        self.never |= {place(href) for href in forbidden} | {"/unfollowed/meta", "/unfollowed/link"}
        return self._keep("/manners/", page("作法", *links([*followed, *forbidden]), *unfollowed))

    def _maze(self) -> str:
        """Generated pages that link on and on, but not for ever."""
        for n in range(8):
            hrefs = [f"/maze/{n + 1}", "/maze/0"] if n < 7 else ["/maze/0"]
            self._keep(f"/maze/{n}", page(f"迷路 {n}", *links(hrefs)))
        return "/maze/0"


def _as_is(body: bytes) -> bytes:
    return body


def _chunks(body: bytes) -> bytes:
    """A body in chunks of odd sizes, with an extension and a trailer."""
    middle = len(body) // 3
    first, rest = body[:middle], body[middle:]
    return b"%X;name=value\r\n%s\r\n%x\r\n%s\r\n0\r\nTrailer: x\r\n\r\n" % (
        len(first),
        first,
        len(rest),
        rest,
    )


def _bomb() -> Iterator[bytes]:
    """A gzip stream that unpacks to far more than it is: one packed MB, again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(b"<p>") + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b"0" * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    yield (
        head(
            200,
            ("Content-Type", HTML),
            ("Content-Encoding", "gzip"),
            ("Content-Length", str(len(start) + _BOMB * len(block))),
        )
        + start
    )
    for _ in range(_BOMB):
        yield block


def _endless_body() -> Iterator[bytes]:
    yield head(200, ("Content-Type", HTML))
    while True:
        yield b"<p>" + b"more " * 13000


def _endless_chunks() -> Iterator[bytes]:
    yield head(200, ("Content-Type", HTML), ("Transfer-Encoding", "chunked"))
    while True:
        yield b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n"


def _endless_header() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nX-Long: "
    while True:
        yield b"x" * 65536


def _endless_headers() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"X-Many: value\r\n" * 4096


@contextlib.contextmanager
def hurting(site: Hurtful, **options: Any) -> Iterator[tuple[Server, list[Server]]]:
    """The site being served, and servers beside it at addresses that it tells of and that
    no crawl of it may connect to. Where the system has no such address, there is none."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(serving(site, **options))
        beside = [stack.enter_context(serving(Inviting()))]
        for host, port in (("127.0.0.2", server.port), ("::1", server.port), ("::1", 0)):
            with contextlib.suppress(OSError):
                beside.append(stack.enter_context(serving(Inviting(), host=host, port=port)))
        site.outside = tuple(other.url for other in beside)
        site.build()
        yield server, beside
