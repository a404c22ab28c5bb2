"""What extracting costs, beside one pass of Sudachi over the same text.

    python benchmarks/extract.py FOLDER-OR-FILE...

Reads the pages there (the bundled sample if none is named), then, in one process and in turn:
Sudachi alone over every passage; all that extraction does with a page (its claims, its words, its
mentions). Prints seconds (medians of five rounds) and the ratio.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from graphs.writing.names_and_merges import NodeName
from graphs.writing.passage_annotations import PassageText
from kb.knowledge import extract
from kb.knowledge.names.mentions import Annotator, searchable_names, spellings
from kb.knowledge.outcomes.english_conditions import english_sentences_with_statements
from kb.language.tokens import Tokenizer
from scraper import Hints, Page, Snapshot, read_pages, snapshots

ROUNDS = 5
BATCH = 1000  # passages that are annotated at once, as in a build
SAMPLE = Path(__file__).parent.parent / "kb" / "sample"


def read(sources: list[Path]) -> list[Page]:
    """The articles in some sources."""
    shots = (shot for source in sources for shot in snapshots(source, Hints()))
    read_ = (read_pages(shot)[0] for shot in shots if isinstance(shot, Snapshot))
    return [page for pages in read_ for page in pages if page.name and page.passages]


def seconds(work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main(sources: list[Path]) -> None:
    """Print the table."""
    pages, words = read(sources), Tokenizer()
    passages = [
        PassageText(page.game or page.source, page.lang, passage.text, ())
        for page in pages
        for passage in page.passages
    ]
    claims = [extract(page, words) for page in pages]
    names = [
        NodeName(label.node, label.label.lang, label.label.role, label.folded, label.label.text)
        for fact in claims
        for label in fact.labels
        if "/term/" in label.node
    ]
    forms = list(spellings(searchable_names(names), words))

    def sudachi() -> None:
        for passage in passages:
            words.tokenize(passage.text)

    def ours() -> None:
        # Nothing is known from the round before.
        english_sentences_with_statements.cache_clear()
        annotator = Annotator(forms, words)
        for page in pages:
            extract(page, words)
        for start in range(0, len(passages), BATCH):
            annotator(passages[start : start + BATCH])

    measured = [(seconds(sudachi), seconds(ours)) for _ in range(ROUNDS)]
    once, all_ = (statistics.median(times) for times in zip(*measured, strict=True))
    ratio = statistics.median(b / a for a, b in measured)
    size = sum(len(passage.text) for passage in passages)
    print(f"{len(pages)} pages, {size:,} characters, {len(set(names))} names")
    print(f"Sudachi {once:.3f} s, extraction {all_:.3f} s: {ratio:.2f} of one pass")


if __name__ == "__main__":
    main([Path(source) for source in sys.argv[1:]] or [SAMPLE])
