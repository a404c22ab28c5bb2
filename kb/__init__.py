"""sansho: a knowledge base over Japanese card-game rules.

>>> import kb
>>> base = kb.sample()
>>> base.show("引く").matches[0].id
'mtg/term/引く'
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as a type checker reads it; its module alone takes milliseconds
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from graphs.model import (
        STRENGTH,
        Edge,
        EdgeKind,
        Evidence,
        Label,
        Node,
        NodeKind,
        page_and_section,
    )
    from graphs.natural_order import natural_key
    from graphs.picture.draw import draw
    from graphs.picture.picture import Picture
    from graphs.picture.styles import picture_css
    from graphs.store.atomic_file import open_output
    from graphs.store.titles import PageTitle
    from graphs.store.validation import Damage
    from graphs.time_limit import TimeLimit, check_time, limited
    from graphs.writing.changes import GraphChanges
    from kb.api import KnowledgeBase, build_vectors, sample
    from kb.build_progress import BuildProgress
    from kb.building.pipeline import BuildReport, build
    from kb.building.removals import Removals
    from kb.building.shared_pages import SharedPages
    from kb.checking.check import Check
    from kb.checking.claims.claim import ChangedWords, Claim
    from kb.checking.draft import Finding
    from kb.checking.verify import Verification
    from kb.errors import (
        ERRORS,
        BuildError,
        DrawError,
        NotFoundError,
        OutOfTimeError,
        QuestionError,
        SourceError,
        StoreError,
        TakenAsWarning,
        VectorsWarning,
    )
    from kb.interchange.export import ExportReport
    from kb.language.word_diff import Difference, differences
    from kb.query.align import Alignment
    from kb.query.aligned_marks import TextMark
    from kb.query.aligned_rules import AlignedPair, NotLoaded, Problem
    from kb.query.answers.answer import Answer, Answers
    from kb.query.arguments import Direction, LineOrder, Ranking
    from kb.query.audit import Audit, MissingTarget
    from kb.query.card_faces import CardFace, card_faces
    from kb.query.chapter_citations import ChapterCitation, ChapterCitations
    from kb.query.common_filters import Filters
    from kb.query.compare import ComparedName, Comparison, ComparisonRow, NotJoined
    from kb.query.definitions import TermDefinition
    from kb.query.diff import Diff, SectionChanges
    from kb.query.kwic import Concordance, ConcordanceLine
    from kb.query.left_out import LeftOut
    from kb.query.linked_text import LinkedText, TextLink
    from kb.query.loaded_rules import LoadedEdition
    from kb.query.near.build_vectors import VectorReport
    from kb.query.outcomes import Outcome, Outcomes
    from kb.query.page_content import ContentPart, PageContent
    from kb.query.passage_filters import PassageFilters, StatementKind
    from kb.query.path import Paths
    from kb.query.places import Place
    from kb.query.references import Reference, ReferenceGroup
    from kb.query.refs import Refs
    from kb.query.rule_changes import RuleChange, RuleText
    from kb.query.rule_context import CitedBy, RuleContext, RuleName
    from kb.query.rule_outline import OutlineLine, RuleOutline
    from kb.query.rulings import Ruling, Rulings
    from kb.query.search import Hit, Hits
    from kb.query.show import Capture, Shown
    from kb.query.shown_entries import ChangedBelow, PageSummary, ShownEntry
    from kb.query.stats import Stats
    from kb.query.steps import Procedure, Procedures, Step
    from kb.query.suggest import Suggestion, Suggestions
    from kb.query.table_result import Table
    from kb.query.term_profile import Spelling, TermProfile
    from kb.query.terms import Terms
    from kb.query.top import RankedNode, Top
    from kb.query.trace import Trace, TraceEntry
    from kb.reopened import ReopenedBase
    from kb.termbase.decide import DecisionNotice
    from kb.termbase.model import (
        Concept,
        ConceptDefinition,
        ConceptName,
        ConceptSpelling,
        Decision,
        RelatedConcept,
        TranslationUnit,
    )
    from kb.termbase.termbase import Termbase
    from scraper.crawl.crawl import CrawlFailure, CrawlReport, crawl
    from scraper.crawl.visit_pages import CrawlProgress
    from scraper.page import ReadWarning
    from scraper.sites.games import game_name

# Where each public name is defined. Modules are imported when a name is first used, so that a
# look-up loads neither a parser nor the dictionary, and the command line can handle signals first.
_MODULES = {
    "graphs.writing.changes": ("GraphChanges",),
    "graphs.model": (
        "STRENGTH",
        "Edge",
        "EdgeKind",
        "Evidence",
        "Label",
        "Node",
        "NodeKind",
        "page_and_section",
    ),
    "graphs.natural_order": ("natural_key",),
    "graphs.store.atomic_file": ("open_output",),
    "graphs.store.validation": ("Damage",),
    "graphs.store.titles": ("PageTitle",),
    "graphs.time_limit": ("TimeLimit", "check_time", "limited"),
    "graphs.picture.draw": ("draw",),
    "graphs.picture.picture": ("Picture",),
    "graphs.picture.styles": ("picture_css",),
    "kb.api": ("KnowledgeBase", "build_vectors", "sample"),
    "kb.build_progress": ("BuildProgress",),
    "kb.building.pipeline": ("BuildReport", "build"),
    "kb.building.removals": ("Removals",),
    "kb.building.shared_pages": ("SharedPages",),
    "kb.checking.check": ("Check",),
    "kb.checking.claims.claim": ("ChangedWords", "Claim"),
    "kb.checking.draft": ("Finding",),
    "kb.checking.verify": ("Verification",),
    "kb.errors": (
        "ERRORS",
        "BuildError",
        "DrawError",
        "NotFoundError",
        "OutOfTimeError",
        "QuestionError",
        "SourceError",
        "StoreError",
        "TakenAsWarning",
        "VectorsWarning",
    ),
    "kb.interchange.export": ("ExportReport",),
    "kb.language.word_diff": ("Difference", "differences"),
    "kb.query.align": ("Alignment",),
    "kb.query.aligned_marks": ("TextMark",),
    "kb.query.aligned_rules": ("AlignedPair", "NotLoaded", "Problem"),
    "kb.query.answers.answer": ("Answer", "Answers"),
    "kb.query.arguments": ("Direction", "LineOrder", "Ranking"),
    "kb.query.audit": ("Audit", "MissingTarget"),
    "kb.query.card_faces": ("CardFace", "card_faces"),
    "kb.query.chapter_citations": ("ChapterCitation", "ChapterCitations"),
    "kb.query.compare": ("ComparedName", "Comparison", "ComparisonRow", "NotJoined"),
    "kb.query.definitions": ("TermDefinition",),
    "kb.query.diff": ("Diff", "SectionChanges"),
    "kb.query.page_content": ("ContentPart", "PageContent"),
    "kb.query.passage_filters": ("PassageFilters", "StatementKind"),
    "kb.query.common_filters": ("Filters",),
    "kb.query.kwic": ("ConcordanceLine", "Concordance"),
    "kb.query.left_out": ("LeftOut",),
    "kb.query.linked_text": ("LinkedText", "TextLink"),
    "kb.query.loaded_rules": ("LoadedEdition",),
    "kb.query.near.build_vectors": ("VectorReport",),
    "kb.query.outcomes": ("Outcome", "Outcomes"),
    "kb.query.path": ("Paths",),
    "kb.query.places": ("Place",),
    "kb.query.references": ("Reference", "ReferenceGroup"),
    "kb.query.refs": ("Refs",),
    "kb.query.rule_changes": ("RuleChange", "RuleText"),
    "kb.query.rule_context": ("CitedBy", "RuleContext", "RuleName"),
    "kb.query.rule_outline": ("OutlineLine", "RuleOutline"),
    "kb.query.rulings": ("Ruling", "Rulings"),
    "kb.query.search": ("Hit", "Hits"),
    "kb.query.show": ("Capture", "Shown"),
    "kb.query.shown_entries": ("ChangedBelow", "PageSummary", "ShownEntry"),
    "kb.query.stats": ("Stats",),
    "kb.query.steps": ("Procedure", "Procedures", "Step"),
    "kb.query.suggest": ("Suggestion", "Suggestions"),
    "kb.query.table_result": ("Table",),
    "kb.query.term_profile": ("Spelling", "TermProfile"),
    "kb.query.terms": ("Terms",),
    "kb.query.top": ("RankedNode", "Top"),
    "kb.query.trace": ("Trace", "TraceEntry"),
    "kb.reopened": ("ReopenedBase",),
    "kb.termbase.decide": ("DecisionNotice",),
    "kb.termbase.model": (
        "Concept",
        "ConceptDefinition",
        "ConceptName",
        "ConceptSpelling",
        "Decision",
        "RelatedConcept",
        "TranslationUnit",
    ),
    "kb.termbase.termbase": ("Termbase",),
    "scraper.crawl.crawl": ("CrawlFailure", "CrawlReport", "crawl"),
    "scraper.crawl.visit_pages": ("CrawlProgress",),
    "scraper.page": ("ReadWarning",),
    "scraper.sites.games": ("game_name",),
}

__all__ = [
    "ERRORS",
    "STRENGTH",
    "AlignedPair",
    "Alignment",
    "Answer",
    "Answers",
    "Audit",
    "BuildError",
    "BuildProgress",
    "BuildReport",
    "Capture",
    "CardFace",
    "ChangedBelow",
    "ChangedWords",
    "ChapterCitation",
    "ChapterCitations",
    "Check",
    "CitedBy",
    "Claim",
    "ComparedName",
    "Comparison",
    "ComparisonRow",
    "Concept",
    "ConceptDefinition",
    "ConceptName",
    "ConceptSpelling",
    "Concordance",
    "ConcordanceLine",
    "ContentPart",
    "CrawlFailure",
    "CrawlProgress",
    "CrawlReport",
    "Damage",
    "Decision",
    "DecisionNotice",
    "Diff",
    "Difference",
    "Direction",
    "DrawError",
    "Edge",
    "EdgeKind",
    "Evidence",
    "ExportReport",
    "Filters",
    "Finding",
    "GraphChanges",
    "Hit",
    "Hits",
    "KnowledgeBase",
    "Label",
    "LeftOut",
    "LineOrder",
    "LinkedText",
    "LoadedEdition",
    "MissingTarget",
    "Node",
    "NodeKind",
    "NotFoundError",
    "NotJoined",
    "NotLoaded",
    "OutOfTimeError",
    "Outcome",
    "Outcomes",
    "OutlineLine",
    "PageContent",
    "PageSummary",
    "PageTitle",
    "PassageFilters",
    "Paths",
    "Picture",
    "Place",
    "Problem",
    "Procedure",
    "Procedures",
    "QuestionError",
    "RankedNode",
    "Ranking",
    "ReadWarning",
    "Reference",
    "ReferenceGroup",
    "Refs",
    "RelatedConcept",
    "Removals",
    "ReopenedBase",
    "RuleChange",
    "RuleContext",
    "RuleName",
    "RuleOutline",
    "RuleText",
    "Ruling",
    "Rulings",
    "SectionChanges",
    "SharedPages",
    "Shown",
    "ShownEntry",
    "SourceError",
    "Spelling",
    "StatementKind",
    "Stats",
    "Step",
    "StoreError",
    "Suggestion",
    "Suggestions",
    "Table",
    "TakenAsWarning",
    "TermDefinition",
    "TermProfile",
    "Termbase",
    "Terms",
    "TextLink",
    "TextMark",
    "TimeLimit",
    "Top",
    "Trace",
    "TraceEntry",
    "TranslationUnit",
    "VectorReport",
    "VectorsWarning",
    "Verification",
    "build",
    "build_vectors",
    "card_faces",
    "check_time",
    "crawl",
    "differences",
    "draw",
    "find_damage",
    "game_name",
    "limited",
    "natural_key",
    "open",
    "open_output",
    "page_and_section",
    "picture_css",
    "sample",
]  # fmt: skip


def open(path: str | Path = "sansho.db") -> KnowledgeBase:
    """Open a knowledge base for reading; it must exist already, as `build` writes it.

    path: its file.

    Raises StoreError if there is none, if it is no knowledge base, if another version of sansho
    made it, or if it is damaged: `find_damage` says what is.
    """
    from kb.api import KnowledgeBase

    return KnowledgeBase(path)


def find_damage(path: str | Path = "sansho.db") -> tuple[Damage, ...]:
    """Return what is wrong with the file of a knowledge base; nothing if it is as it was built.

    The whole file is read: its checksum, SQLite's own checks, and what its rows refer to. Unlike
    `open`, it takes a damaged file, in order to say what is damaged.

    path: its file.

    Raises StoreError if there is none, if it is no knowledge base, or if another version of
    sansho made it.

    >>> from kb import sample
    >>> find_damage(sample().file)
    ()
    """
    from graphs.store.find_damage import find_damage
    from kb.query.arguments import path_of

    return find_damage(path_of("path", path))


def __getattr__(name: str) -> Any:
    """Import a public name from its module when it is first used, and return what it names.

    Raises AttributeError for any other name.
    """
    for module, names in _MODULES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(module), name)
            return value
    raise AttributeError(f"module 'kb' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
