"""Measures `sansho check`: false alarms on aligned rules, and planted faults found.

    python -m benchmarks.check_precision rules FILE.db --game riftbound --target ja
    python -m benchmarks.check_precision senses FILE.db --game lorcana --target de
    python -m benchmarks.check_precision faults FILE.db FOLDER

`rules` holds each aligned rule of a knowledge base against its own original, as a draft, and prints
how many findings there are in 100 segments, with examples: nearly all of them are false alarms.
`senses` asks of each pair of aligned rules, of all editions, whether one says the opposite of the
other, as `check` does of a draft that follows no translation: what it finds is false, or a slip of
the rules; then it takes a denial out of each translation that has one, and prints how many of these
are found. `faults` checks the drafts of a folder with planted faults (`labels.jsonl`) and prints
how many are found, and how many findings are wrong.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from graphs.store.reader import Store
from kb.checking.check import Check, CheckOptions, check
from kb.checking.checks.opposites import denials as denials_in
from kb.checking.checks.opposites import opposites
from kb.checking.draft import Finding, Segment
from kb.checking.house_usage import ReadSegment
from kb.checking.rules_in_two_languages import aligned_texts
from kb.interchange.decisions_file import read_decisions
from kb.language.translated_length import is_whole
from kb.query.editions.diff import texts_by_number
from kb.rules.loaded_editions import loaded_rules
from kb.rules.rules_across_languages import translated_rules

_TERMS = ("missing-term", "inconsistent-term", "merged-terms", "avoided-name", "other-game-name",
          "deprecated-term", "forbidden-term", "other-game-term", "spelling")  # fmt: skip
_NUMBERS = ("number", "rule-number", "moved-citation")


def rules(args: argparse.Namespace) -> None:
    """Print the findings on the aligned rules of one game."""
    store = Store(args.kb)
    segments = list(_aligned(store, args.game, args.source, args.target))
    options = CheckOptions(args.source, args.target, args.game, only=tuple(args.only or ()))
    decisions = list(read_decisions(args.decisions)) if args.decisions else []
    before = time.process_time()
    result = check(store, segments, "aligned rules", options, decisions)
    seconds = time.process_time() - before
    number, of = len(result.problems), len(segments)
    print(f"{args.game} {args.source}-{args.target}: {number} findings in {of} segments, "
          f"{100 * number / max(of, 1):.2f} in 100; {len(result.not_compared)} not compared; "
          f"{seconds:.1f} s")  # fmt: skip
    for warning in result.warnings:
        print("!", warning)
    print("; ".join(f"{kind} {count}" for kind, count in result.counts.items()))
    expected = Counter((one.source_text or one.text, one.expected) for one in result.problems)
    print("; ".join(f"{a}→{b} {count}" for (a, b), count in expected.most_common(args.terms)))
    by_id = {segment.id: segment for segment in segments}
    for one in result.problems[:: max(1, number // max(args.examples, 1))]:
        segment = by_id[one.segment]
        print(f"\n{one.segment}  {one.kind}  {one.message} ({one.authority})")
        print("   ", (segment.source or "")[:150])
        print("   ", segment.target[:150])


def senses(args: argparse.Namespace) -> None:
    """Print how many aligned rules seem to say the opposite, and how many that were made to."""
    store, langs = Store(args.kb), (args.source, args.target)
    pairs = dict.fromkeys(aligned_texts(store, loaded_rules(store)[args.game], *langs))
    whole = [pair for pair in pairs if is_whole(pair[0], langs[0], pair[1], langs[1])]
    false = [pair for pair in whole if _is_turned(*pair, langs)]
    denials = [(pair, denied) for pair in whole if (denied := denials_in(pair[1], langs[1]))]
    turned = [(source, text[:a] + text[z:]) for (source, text), [(a, z), *_] in denials]
    found = sum(_is_turned(*pair, langs) for pair in turned)
    print(f"{args.game} {'-'.join(langs)}: {len(false)} of {len(whole)} seem turned,",
          f"{100 * len(false) / max(len(whole), 1):.2f} in 100; of {len(turned)} made so",
          f"{found} are found, {100 * found / max(len(turned), 1):.0f} in 100")  # fmt: skip
    for source, text in false[: args.examples]:
        print(f"\n    {source[:300]}\n    {text[:300]}")


def _is_turned(source: str, text: str, langs: tuple[str, str]) -> bool:
    segment = Segment("1", 1, text, langs[1], source, langs[0])
    return any(opposites(ReadSegment(segment, source, *langs)))


def _aligned(store: Store, game: str, source: str, target: str) -> Iterator[Segment]:
    """Yield the rules of the newest edition that both languages have."""
    loaded = loaded_rules(store)[game]
    edition = next(
        one for one in reversed(loaded.editions) if {source, target} <= set(loaded.langs(one))
    )
    texts, drafts = (texts_by_number(store.rules(game, edition, lang)) for lang in (source, target))
    for line, (number, other, _) in enumerate(translated_rules(drafts, texts), 1):
        yield Segment(number, line, drafts[number], target, texts[other], source)


def faults(args: argparse.Namespace) -> None:
    """Print how many of the planted faults of a folder are found, and how much else is."""
    from kb.checking.drafts.read_draft import read_draft

    labels: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (args.folder / "labels.jsonl").read_text("utf-8").splitlines():
        if line.strip():
            label = json.loads(line)
            labels[label["draft"]].append(label)
    store = Store(args.kb)
    planted, found, right, wrong = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for name, of_draft in sorted(labels.items()):
        first = of_draft[0]
        source = args.folder / first["source_file"] if first.get("source_file") else None
        draft = read_draft(
            args.folder / name,
            source_path=source,
            source_lang=first.get("source_lang"),
            target_lang=first.get("target_lang"),
        )
        options = CheckOptions(
            first.get("source_lang"), first.get("target_lang"), first.get("game"),
            first.get("edition"),
        )  # fmt: skip
        result = check(store, draft.segments, name, options)
        expected = [fault for label in of_draft for fault in label["faults"]]
        matched = _score(result, expected, planted, found, right, wrong)
        for fault in expected:
            if id(fault) not in matched:
                print(f"NOT FOUND {name}:{fault['line']} {fault['kind']} "
                      f"{fault.get('source_words')!r} {fault.get('words')!r} "
                      f"→ {fault.get('expected')!r}")  # fmt: skip
        for one in result.problems:
            if not any(_fits(one, fault) for fault in expected):
                print(f"WRONG {name}:{one.line} {one.kind} {one.message} | {one.segment_text[:80]}")
    total, got = planted.total(), found.total()
    print(f"found {got} of {total} ({got / max(total, 1):.3f}); wrong {wrong.total()} of "
          f"{right.total() + wrong.total()} reported "
          f"({wrong.total() / max(right.total() + wrong.total(), 1):.3f})")  # fmt: skip
    for kind in sorted(planted | wrong):
        print(f"  {kind:18} {found[kind]} of {planted[kind]} found, {wrong[kind]} wrong")


def _score(
    result: Check,
    expected: Sequence[dict[str, Any]],
    planted: Counter[str],
    found: Counter[str],
    right: Counter[str],
    wrong: Counter[str],
) -> set[int]:
    """Count a draft's faults and findings by kind; return the ids of the faults that were found."""
    matched: set[int] = set()
    for fault in expected:
        planted[fault["kind"]] += 1
        if any(_fits(one, fault) for one in result.problems):
            found[fault["kind"]] += 1
            matched.add(id(fault))
    for one in result.problems:
        (right if any(_fits(one, fault) for fault in expected) else wrong)[one.kind] += 1
    return matched


def _fits(finding: Finding, fault: dict[str, Any]) -> bool:
    """Return whether a finding is about a planted fault: on its line, of its group, with words in
    common."""
    if finding.line != fault["line"] or _group(finding.kind) != _group(fault["kind"]):
        return False
    ours = [finding.text, finding.source_text or "", finding.expected or ""]
    theirs = [fault.get(name) or "" for name in ("words", "source_words", "expected")]
    pairs = [(one.casefold(), two.casefold()) for one in ours if one for two in theirs if two]
    return any(one in two or two in one for one, two in pairs) or not pairs


def _group(kind: str) -> str:
    return "terms" if kind in _TERMS else "numbers" if kind in _NUMBERS else kind


def main() -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("rules")
    one.add_argument("kb", type=Path)
    one.add_argument("--game", required=True)
    one.add_argument("--source", default="en")
    one.add_argument("--target", default="ja")
    one.add_argument("--decisions", type=Path)
    one.add_argument("--only", action="append")
    one.add_argument("--examples", type=int, default=20)
    one.add_argument("--terms", type=int, default=30)
    one.set_defaults(run=rules)
    three = commands.add_parser("senses")
    three.add_argument("kb", type=Path)
    three.add_argument("--game", required=True)
    three.add_argument("--source", default="en")
    three.add_argument("--target", default="ja")
    three.add_argument("--examples", type=int, default=0)
    three.set_defaults(run=senses)
    two = commands.add_parser("faults")
    two.add_argument("kb", type=Path)
    two.add_argument("folder", type=Path)
    two.set_defaults(run=faults)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
