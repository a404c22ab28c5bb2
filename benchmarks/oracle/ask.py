"""Asks one version of sansho everything, in a process that imports that version's packages.

Only what users have is called: the entry point of the command line, `sansho serve` over HTTP,
`sansho mcp` by the SDK's client, and the public names of `kb`; so the inside may move freely. The
process runs in the folder of a knowledge base, which `__main__` prepares, and starts with

    main([KIND, BASE, QUESTIONS, OUT, PAGES])

KIND: of `KINDS`, or `build`. BASE: `real` or `sample`. QUESTIONS: the folder of tables. OUT: the
file for the answers. PAGES: answers of the other side, whose pages are asked for, too; may be "".
"""

from __future__ import annotations

import asyncio
import gc
import gzip
import hashlib
import http.client
import importlib
import inspect
import json
import os
import pkgutil
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urldefrag, urlencode, urljoin, urlsplit

Answer = dict[str, str]  # {part, such as stdout: its text}
Answers = Iterator[tuple[str, Answer]]  # (question, its answer)

PACKAGES = ("kb", "graphs", "scraper")
_BASE, _OUT = Path("base.db"), Path("out")
_RULES = "corpora/mtg-cr-en/MagicCompRules_"
_SOURCES = {
    "sample": (),
    "real": (
        "seeds", "pages", f"{_RULES}20231117.txt", f"{_RULES}20260116.txt", "corpora/mtg-cr-ja",
        "corpora/lorcana-cr-ja",
    ),
}  # fmt: skip
_COMMAND = [sys.executable, "-P", "-c", "from kb.cli import main; main()"]
_NO_JSON = {"completion", "mcp", "serve", "--help", "--version"}
_NOT_COMPARED = {".db", ".near"}  # files whose bytes nobody reads; what they say is asked

_MARK = "xxxxxxxx"
# What varies by itself, and what stands for it in all answers.
_VARIES = (
    (r"\(about \d[\d,]* passages?, [^)]* here", "(about … here"),  # of vectors
    (r'("seconds": ?)[\d.e-]+', r"\g<1>0"),  # of a build, in JSON
    (r"\b\d+(\.\d+)? s\b(?=\n|$)", "0 s"),  # of a build, at the end of a line
    # A PLACE to go on from ends with a mark of the build.
    (r"\b((?:\d+\.)+)(?=\d*[a-f])[0-9a-f]{8}\b", rf"\1{_MARK}"),
    (r"(after\W{1,3}(?:\d+\.)+)\d{8}\b", rf"\1{_MARK}"),
    (r"(127\.0\.0\.1|localhost):\d{4,5}\b", r"\1:0"),  # the port of the explorer
    (r"\b0x[0-9a-f]{6,}\b", "0x0"),  # where an object is in memory
)


def normalised(text: str) -> str:
    """Return an answer without what varies by itself, and without the folders of this run."""
    for folder in (Path.cwd(), Path.cwd().with_name("build")):
        text = text.replace(str(folder), "BASE")
    text = text.replace(sys.path[0], "CODE")
    for pattern, replacement in _VARIES:
        text = re.sub(pattern, replacement, text)
    return text


def questions(table: Path, base: str) -> list[str]:
    """Return the lines of a table for a base: those below `== both` and below `== BASE`.

    `{a|b|}` in a line stands for each of a, b and nothing; `# ` begins a comment.
    """
    section, found = "both", {}
    for line in table.read_text("utf-8").splitlines():
        if line.startswith("== "):
            section = line.removeprefix("== ").strip()
        elif line.strip() and not line.startswith("# ") and section in ("both", base):
            pieces = re.split(r"\{([^{}]*\|[^{}]*)\}", line.strip())
            choices = [part.split("|") if n % 2 else [part] for n, part in enumerate(pieces)]
            found |= {" ".join("".join(chosen).split()): None for chosen in product(*choices)}
    return list(found)


# -- the command line -----------------------------------------------------------------------------


def exports(lines: Iterable[str]) -> Answers:
    """Run command lines as they are."""
    from kb.cli import main

    _import_everything()
    for line in lines:
        yield f"sansho {line}", _run(main, line)


def commands(lines: Iterable[str]) -> Answers:
    """Run command lines, each as text and with --json; and where the text says how to go on, by
    `--after PLACE`, that, too."""
    from kb.cli import main

    _import_everything()
    for line in lines:
        text = _run(main, line)
        yield f"sansho {line}", text
        further = {"": line}
        if place := re.search(r"--after (\d\S+)", text["stdout"]):
            further["--after …"] = f"{line} --after {place[1]}"
            yield f"sansho {line} --after …", _run(main, further["--after …"])
        if not _NO_JSON & set(line.split()):
            for shown, asked in further.items():
                as_json = " && ".join(f"{each} --json" for each in asked.split(" && "))
                yield f"sansho {line} {shown} --json", _run(main, as_json)


def _import_everything() -> None:
    """Import all modules, and what they load once: commands run in copies of this process."""
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                with suppress(ImportError):
                    importlib.import_module(module.name)
    kb = importlib.import_module("kb")
    with kb.open(_BASE) as base:  # which loads dictionaries and tables of words
        base.ask("カードを引く")
        base.verify("CR 121.4")
        base.check("texts/draft.md")
    gc.freeze()  # so that copies share the memory


def _run(main: Callable[[], Any], line: str) -> Answer:
    """Run a command line, or several with && between them, and return its exit codes, what it
    printed, and what it wrote to `out`. Words behind ` <<< ` are its standard input."""
    shutil.rmtree(_OUT, ignore_errors=True)
    _OUT.mkdir()
    line, _, given = line.partition(" <<< ")
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        codes = [
            _in_copy(main, shlex.split(each), given, out.fileno(), errors.fileno())
            for each in line.split(" && ")
        ]
        answer = {"exit": " ".join(map(str, codes))}
        for name, file in (("stdout", out), ("stderr", errors)):
            file.seek(0)
            answer[name] = file.read().decode("utf-8", "backslashreplace")
    for path in sorted(path for path in _OUT.rglob("*") if path.is_file()):
        if not _NOT_COMPARED & set(path.suffixes):
            answer[str(path)] = _content(path)
    return answer


def _in_copy(main: Callable[[], Any], words: list[str], given: str, out: int, errors: int) -> int:
    """Run a command in a copy of this process, which it can't change; return its exit code."""
    sys.stdout.flush()
    if process := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    code = 70
    try:
        with tempfile.TemporaryFile() as stdin:
            stdin.write(given.encode())
            stdin.seek(0)
            for number, descriptor in enumerate((stdin.fileno(), out, errors)):
                os.dup2(descriptor, number)
        sys.argv = ["sansho", *words]
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # its lines are no answer, and vary with the code
        sys.stderr.write("".join(traceback.format_exception_only(error)))
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(code)


def _content(path: Path) -> str:
    """Return the text of a file; of one that is no text its digest."""
    data = path.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"{len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}"


# -- the server for assistants --------------------------------------------------------------------


def tools(lines: Iterable[str]) -> Answers:
    """Call tools of `sansho mcp`, each given as a call in Python: `show(ref="121.4")`; of
    `resource("ID")` that resource is read."""
    return iter(asyncio.run(_called(lines)))


async def _called(lines: Iterable[str]) -> list[tuple[str, Answer]]:
    from mcp import Client, StdioServerParameters, stdio_client

    program, *options = [*_COMMAND, "mcp", "--kb", str(_BASE)]
    server = StdioServerParameters(command=program, args=options, env=dict(os.environ))
    found: list[tuple[str, Answer]] = []
    async with Client(stdio_client(server)) as client:
        found.append(("instructions", {"text": client.instructions or ""}))
        for listed in (await client.list_tools(), await client.list_resource_templates()):
            found += [(type(listed).__name__, {"list": listed.model_dump_json()})]
        for line in lines:
            found += [(line, await _call(client, line))]
    return found


async def _call(client: Any, line: str) -> Answer:
    """Return what one call of a tool gives, errors of the protocol too."""
    name, arguments = parsed_call(line)
    try:
        if name == "resource":
            return {"resource": (await client.read_resource(*arguments)).model_dump_json()}
        result = await client.call_tool(name, arguments)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {
        "text": "\n".join(getattr(content, "text", repr(content)) for content in result.content),
        "document": json.dumps(result.structured_content, ensure_ascii=False),
        "is error": str(result.is_error),
    }


def parsed_call(line: str) -> tuple[str, Any]:
    """Return the name and the arguments of a call: {name: value}, or values without names.

    >>> parsed_call('show(ref="121.4", whole=True)')
    ('show', {'ref': '121.4', 'whole': True})
    """
    import ast

    call = ast.parse(line, mode="eval").body
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name), line
    if call.args:
        return call.func.id, [ast.literal_eval(value) for value in call.args]
    named = {each.arg: ast.literal_eval(each.value) for each in call.keywords if each.arg}
    return call.func.id, named


# -- the explorer ---------------------------------------------------------------------------------

_MOST_PAGES = 110  # that are reached by links, of a base in a language
_MOST_OF_KIND = 4  # of these with the same question and parameters
_SAME_KIND = re.compile(r"/../(node/\w+/(?:cr|rule|term|card)/|node/[^/]*|[^?]*)")


def pages(lines: Iterable[str], others: Iterable[str] = ()) -> Answers:
    """Ask the explorer for the pages that are reached from its front page, breadth first, then for
    those of the table, then for others: each as HTML and as JSON."""
    table = [line.partition(" <<< ") for line in lines]
    with _explorer() as get:
        for lang in ("en", "ja"):
            waiting, seen = deque([f"/{lang}/"]), {f"/{lang}/"}
            of_kind: Counter[tuple[str, ...]] = Counter()
            reached = []
            while waiting and len(reached) < _MOST_PAGES:
                address = waiting.popleft()
                of_kind[kind := _kind_of(address)] += 1
                if of_kind[kind] > _MOST_OF_KIND:
                    continue
                reached.append(address)
                answer = _page(get, address)
                yield f"GET {address}", answer
                for link in re.findall(r'(?:href|src)="([^"]*)"', answer["page"]):
                    target = urldefrag(urljoin(address, unescape(link)))[0]
                    of_this = target.startswith((f"/{lang}/", "/static/"))
                    if of_this and target not in seen and "format=json" not in target:
                        seen.add(target)
                        waiting.append(target)
            yield f"addresses reached from /{lang}/", {"addresses": "\n".join(sorted(reached))}
            asked = [(f"/{lang}/{address}", form) for address, _, form in table]
            asked += [(each, "") for each in others if each.startswith(f"/{lang}/")]
            for address, form in asked:
                address = quote(address, safe="/?&=%+")
                if form or address not in reached:
                    form = urlencode(parse_qsl(form))
                    yield " ".join(filter(None, ("GET", address, form))), _page(get, address, form)


def _kind_of(address: str) -> tuple[str, ...]:
    """Return what pages of a kind have in common: the question, and which parameters it has."""
    match = _SAME_KIND.match(address)
    parameters = {name for name, _ in parse_qsl(urlsplit(address).query)}
    return (match[1] if match else address, *sorted(parameters))


_Get = Callable[[str, str], tuple[int, str, str]]  # (address, form) → status, headers, text


@contextmanager
def _explorer() -> Iterator[_Get]:
    """Serve the knowledge base with `sansho serve`, and give the function that asks for a page."""
    command = [*_COMMAND, "serve", "--kb", str(_BASE), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        first = process.stdout.readline()
        place = re.search(r"://([\w.]+:\d+)", first)
        assert place, f"the explorer does not start: {first}"
        with closing(http.client.HTTPConnection(place[1], timeout=60)) as connection:

            def get(address: str, form: str) -> tuple[int, str, str]:
                kind = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
                connection.request("POST" if form else "GET", address, form or None, kind)
                got = connection.getresponse()
                body = got.read().decode("utf-8", "backslashreplace")
                return (
                    got.status,
                    "\n".join(f"{name}: {one}" for name, one in got.getheaders()),
                    body,
                )

            yield get
    finally:
        process.terminate()
        process.wait()


def _page(get: _Get, address: str, form: str = "") -> Answer:
    """Return a page as HTML, and the JSON of the same; files that are no pages have none."""
    answer = {}
    with_format = f"{address}{'&' if '?' in address else '?'}format=json"
    for part, asked in (("page", address), ("json", with_format)):
        if part == "page" or not address.startswith("/static/"):
            for _ in range(3):  # 503: it took too long, or there is too much to do
                status, headers, answer[part] = get(asked, form)
                if status != 503:
                    break
            answer[f"{part}, status and headers"] = f"{status}\n{headers}"
    return answer


# -- Python ---------------------------------------------------------------------------------------

# What is asked of a result that has such a method.
_FACES: dict[str, Callable[[Any], str]] = {
    "as_json": lambda it: json.dumps(it.as_json(), ensure_ascii=False, default=repr),
    "table": lambda it: repr(it.table()),
    "_repr_html_": lambda it: it._repr_html_(),
    "to_frame": lambda it: it.to_frame().to_csv(),
    "svg": lambda it: it.svg(),
    "draw": lambda it: it.draw().svg(),
    "graph": lambda it: _graph_text(it.graph()),
}


def python(lines: Iterable[str]) -> Answers:
    """Evaluate expressions of `base`, an open knowledge base, and `kb`; return each result's faces,
    or its error. Before these, describe all public names."""
    import kb

    yield from _described(kb)
    with kb.open(_BASE) as base:
        known = {"base": base, "kb": kb, "Path": Path, "list": list}
        for line in lines:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                answer = _faces(lambda line=line: eval(line, dict(known)))
            answer["warnings"] = "\n".join(
                f"{each.category.__name__}: {each.message}" for each in caught
            )
            yield line, answer


def _faces(result: Callable[[], Any]) -> Answer:
    """Return a result as Python shows it, and in all forms that it has."""
    try:
        it = result()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    answer = {"repr": repr(it)}
    for name, face in _FACES.items():
        if callable(getattr(type(it), name, None)):
            try:
                answer[name] = face(it)
            except Exception as error:
                answer[name] = f"{type(error).__name__}: {error}"
    return answer


def _graph_text(graph: Any) -> str:
    """Return a graph of networkx as lines: its nodes, then its edges, with their attributes."""
    return "\n".join(map(repr, (*graph.nodes(data=True), *graph.edges(keys=True, data=True))))


def _described(kb: Any) -> Answers:
    """Describe the public names: what `help` says of them, and of the methods of classes."""
    yield "kb.__all__", {"names": "\n".join(sorted(kb.__all__))}
    for name in kb.__all__:
        thing = getattr(kb, name)
        members = sorted(vars(thing)) if inspect.isclass(thing) else []
        public = [member for member in members if not member.startswith("_")]
        yield f"help(kb.{name})", {"help": _help(thing), "members": "\n".join(public)}
        for member in public:
            yield f"help(kb.{name}.{member})", {"help": _help(getattr(thing, member))}


def _help(thing: Any) -> str:
    """Return the signature and the docstring of a function, class or property; else its value."""
    signature = ""
    with suppress(TypeError, ValueError):
        signature = str(inspect.signature(thing))
    known = callable(thing) or isinstance(thing, property)
    return f"{signature}\n{inspect.getdoc(thing) if known else repr(thing)}"


# -- a run ----------------------------------------------------------------------------------------


def build(lines: Iterable[str]) -> Answers:
    """Build the knowledge base from the sources."""
    from kb.cli import main

    for line in lines:
        answer = _run(main, f"{line} --kb {_BASE}")
        assert _BASE.exists(), answer["stderr"]
        yield f"sansho {line}", answer


KINDS: dict[str, Callable[..., Answers]] = {
    "commands": commands,
    "pages": pages,
    "tools": tools,
    "exports": exports,
    "python": python,
}


def main(arguments: list[str]) -> None:
    """Ask one kind of questions, and write the answers."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which ends servers, too
    kind, base, tables, out, other = arguments
    for package in map(importlib.import_module, PACKAGES):
        assert str(package.__file__).startswith(f"{sys.path[0]}{os.sep}"), package.__file__
    more = []
    if kind == "build":
        answers = build([f"build {' '.join(_SOURCES[base])}".strip()])
    else:
        if other:
            asked = [each.split(" ") for each in read_answers(Path(other))]
            more = [[each[1] for each in asked if each[0] == "GET" and _MARK not in each[1]]]
        answers = KINDS[kind](questions(Path(tables) / f"{kind}.txt", base), *more)
    found = {
        normalised(question): {part: normalised(text) for part, text in answer.items()}
        for question, answer in answers
    }
    part = Path(f"{out}.part")
    with gzip.open(
        part, "wt", compresslevel=1, encoding="utf-8", errors="backslashreplace"
    ) as file:
        json.dump(found, file, ensure_ascii=False)
    part.replace(out)


def read_answers(path: Path) -> Mapping[str, Answer]:
    """Return the answers that `main` wrote: {question: its answer}."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)
