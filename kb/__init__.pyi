"""The public names, and where each is defined; `kb/__init__.py` reads this file."""

from pathlib import Path

from graphs.model import (
    STRENGTH as STRENGTH,
)
from graphs.model import (
    Edge as Edge,
)
from graphs.model import (
    EdgeKind as EdgeKind,
)
from graphs.model import (
    Evidence as Evidence,
)
from graphs.model import (
    Label as Label,
)
from graphs.model import (
    Node as Node,
)
from graphs.model import (
    NodeKind as NodeKind,
)
from graphs.model import (
    page_and_section as page_and_section,
)
from graphs.picture.bars import bars as bars
from graphs.picture.draw import draw as draw
from graphs.picture.picture import Picture as Picture
from graphs.picture.styles import picture_css as picture_css
from graphs.sort_orders import edition_key as edition_key
from graphs.sort_orders import natural_key as natural_key
from graphs.store.file.atomic_file import open_output as open_output
from graphs.store.titles import PageTitle as PageTitle
from graphs.store.titles import page_name as page_name
from graphs.store.validation import Damage as Damage
from graphs.time_limit import TimeLimit as TimeLimit
from graphs.time_limit import check_time as check_time
from graphs.time_limit import limited as limited
from graphs.writing.counted_changes import GraphChanges as GraphChanges
from kb.api import KnowledgeBase as KnowledgeBase
from kb.api import build_vectors as build_vectors
from kb.api import missing_vectors as missing_vectors
from kb.api import sample as sample
from kb.build_progress import BuildProgress as BuildProgress
from kb.building.pipeline import BuildReport as BuildReport
from kb.building.pipeline import SharedPages as SharedPages
from kb.building.pipeline import build as build
from kb.building.shrinking_builds import Removals as Removals
from kb.checking.check import Check as Check
from kb.checking.claims.claim import ChangedWords as ChangedWords
from kb.checking.claims.claim import Claim as Claim
from kb.checking.draft import Finding as Finding
from kb.checking.proofreader import Edit as Edit
from kb.checking.proofreader import NameAt as NameAt
from kb.checking.proofreader import Proofreader as Proofreader
from kb.checking.proofreader import Repair as Repair
from kb.checking.verify import Verification as Verification
from kb.document_schemas import json_schema as json_schema
from kb.errors import (
    ERRORS as ERRORS,
)
from kb.errors import (
    BuildError as BuildError,
)
from kb.errors import (
    DrawError as DrawError,
)
from kb.errors import (
    NotFoundError as NotFoundError,
)
from kb.errors import (
    OutOfTimeError as OutOfTimeError,
)
from kb.errors import (
    QuestionError as QuestionError,
)
from kb.errors import (
    ReasonError as ReasonError,
)
from kb.errors import (
    SourceError as SourceError,
)
from kb.errors import (
    StoreError as StoreError,
)
from kb.interchange.export import ExportReport as ExportReport
from kb.interchange.package import PackageReport as PackageReport
from kb.interchange.package import ReturnedPackage as ReturnedPackage
from kb.interchange.package import ReturnedUnit as ReturnedUnit
from kb.language.word_diff import Difference as Difference
from kb.language.word_diff import differences as differences
from kb.plugin_list import Plugins as Plugins
from kb.plugin_list import plugins as plugins
from kb.query.answers.answer import Answer as Answer
from kb.query.answers.answer import Answers as Answers
from kb.query.answers.answer import OtherAnswer as OtherAnswer
from kb.query.audit import Audit as Audit
from kb.query.audit import MissingTarget as MissingTarget
from kb.query.compare import (
    ComparedName as ComparedName,
)
from kb.query.compare import (
    Comparison as Comparison,
)
from kb.query.compare import (
    ComparisonRow as ComparisonRow,
)
from kb.query.compare import (
    NotJoined as NotJoined,
)
from kb.query.editions.align import (
    AlignedPair as AlignedPair,
)
from kb.query.editions.align import Alignment as Alignment
from kb.query.editions.align import (
    NotLoaded as NotLoaded,
)
from kb.query.editions.align import (
    Problem as Problem,
)
from kb.query.editions.align import TextMark as TextMark
from kb.query.editions.builds import BuildChanges as BuildChanges
from kb.query.editions.changes import ChangedSection as ChangedSection
from kb.query.editions.changes import Changes as Changes
from kb.query.editions.changes import MovedRules as MovedRules
from kb.query.editions.diff import Diff as Diff
from kb.query.editions.diff import SectionChanges as SectionChanges
from kb.query.editions.impact import Impact as Impact
from kb.query.editions.impact import Touched as Touched
from kb.query.editions.present_rules import PresentRule as PresentRule
from kb.query.editions.trace import Trace as Trace
from kb.query.editions.trace import TraceEntry as TraceEntry
from kb.query.editions.trace import UnsureMatch as UnsureMatch
from kb.query.editions.trace import UnsureMatches as UnsureMatches
from kb.query.lookup.arguments import Direction as Direction
from kb.query.lookup.arguments import LineOrder as LineOrder
from kb.query.lookup.arguments import Ranking as Ranking
from kb.query.lookup.common_filters import Filters as Filters
from kb.query.lookup.common_filters import Ref as Ref
from kb.query.lookup.find_names import Suggestion as Suggestion
from kb.query.lookup.find_names import Suggestions as Suggestions
from kb.query.lookup.passage_filters import (
    PassageFilters as PassageFilters,
)
from kb.query.lookup.passage_filters import (
    StatementKind as StatementKind,
)
from kb.query.lookup.passage_places import Place as Place
from kb.query.near.build_vectors import VectorEstimate as VectorEstimate
from kb.query.near.build_vectors import VectorReport as VectorReport
from kb.query.near.installed_encoder import required_encoder as required_encoder
from kb.query.passages.kwic import Concordance as Concordance
from kb.query.passages.kwic import ConcordanceLine as ConcordanceLine
from kb.query.passages.search import Hit as Hit
from kb.query.passages.search import Hits as Hits
from kb.query.refs.chapter_citations import (
    ChapterCitation as ChapterCitation,
)
from kb.query.refs.chapter_citations import (
    ChapterCitations as ChapterCitations,
)
from kb.query.refs.commentary import Comment as Comment
from kb.query.refs.commentary import Commentary as Commentary
from kb.query.refs.grouped_edges import Reference as Reference
from kb.query.refs.grouped_edges import ReferenceGroup as ReferenceGroup
from kb.query.refs.grouped_edges import Wording as Wording
from kb.query.refs.path import Paths as Paths
from kb.query.refs.refs import Refs as Refs
from kb.query.refs.top import RankedNode as RankedNode
from kb.query.refs.top import Top as Top
from kb.query.show.linked_text import LinkedText as LinkedText
from kb.query.show.linked_text import TextLink as TextLink
from kb.query.show.preview import NearbyReference as NearbyReference
from kb.query.show.preview import Preview as Preview
from kb.query.show.rule_context import (
    CitedBy as CitedBy,
)
from kb.query.show.rule_context import OutlineLine as OutlineLine
from kb.query.show.rule_context import (
    RuleContext as RuleContext,
)
from kb.query.show.rule_context import (
    RuleName as RuleName,
)
from kb.query.show.rule_context import RuleOutline as RuleOutline
from kb.query.show.show import Capture as Capture
from kb.query.show.show import CardFace as CardFace
from kb.query.show.show import (
    ChangedBelow as ChangedBelow,
)
from kb.query.show.show import ContentPart as ContentPart
from kb.query.show.show import PageContent as PageContent
from kb.query.show.show import (
    PageSummary as PageSummary,
)
from kb.query.show.show import Shown as Shown
from kb.query.show.show import (
    ShownEntry as ShownEntry,
)
from kb.query.show.show import card_faces as card_faces
from kb.query.show.term_profile import Spelling as Spelling
from kb.query.show.term_profile import TermDefinition as TermDefinition
from kb.query.show.term_profile import TermProfile as TermProfile
from kb.query.statements.rulings import Ruling as Ruling
from kb.query.statements.rulings import Rulings as Rulings
from kb.query.statements.steps_and_outcomes import Outcome as Outcome
from kb.query.statements.steps_and_outcomes import Outcomes as Outcomes
from kb.query.statements.steps_and_outcomes import Procedure as Procedure
from kb.query.statements.steps_and_outcomes import Procedures as Procedures
from kb.query.statements.steps_and_outcomes import Step as Step
from kb.query.stats import Stats as Stats
from kb.query.stats import Terms as Terms
from kb.reason import (
    Argument as Argument,
)
from kb.reason import (
    Ask as Ask,
)
from kb.reason import (
    LeftOut as LeftOut,
)
from kb.reason import (
    Reason as Reason,
)
from kb.reason import (
    asking as asking,
)
from kb.reason import (
    reason_of as reason_of,
)
from kb.reopened_base import ReopenedBase as ReopenedBase
from kb.result import Table as Table
from kb.result import reported_fields as reported_fields
from kb.rules.change_kind_names import ImpactKind as ImpactKind
from kb.rules.changes import RuleChange as RuleChange
from kb.rules.changes import RuleText as RuleText
from kb.rules.loaded_editions import LoadedEdition as LoadedEdition
from kb.termbase.decisions_applied import DecisionNotice as DecisionNotice
from kb.termbase.model import (
    Concept as Concept,
)
from kb.termbase.model import (
    ConceptDefinition as ConceptDefinition,
)
from kb.termbase.model import (
    ConceptName as ConceptName,
)
from kb.termbase.model import (
    ConceptSpelling as ConceptSpelling,
)
from kb.termbase.model import (
    Decision as Decision,
)
from kb.termbase.model import (
    RelatedConcept as RelatedConcept,
)
from kb.termbase.model import (
    TranslationUnit as TranslationUnit,
)
from kb.termbase.termbase import Termbase as Termbase
from kb.termbase.translation_memory import Match as Match
from kb.termbase.translation_memory import Matches as Matches
from kb.updates import UpdateReport as UpdateReport
from kb.updates import update as update
from kb.vectors_in_background import VectorsInBackground as VectorsInBackground
from kb.worker_pool import WorkerPool as WorkerPool
from kb.worker_pool import default_workers as default_workers
from scraper.crawl.crawl import (
    CrawlFailure as CrawlFailure,
)
from scraper.crawl.crawl import (
    CrawlReport as CrawlReport,
)
from scraper.crawl.crawl import (
    crawl as crawl,
)
from scraper.crawl.visit_pages import CrawlProgress as CrawlProgress
from scraper.page import ReadWarning as ReadWarning
from scraper.plugins import (
    PLUGIN_INTERFACE as PLUGIN_INTERFACE,
)
from scraper.plugins import (
    Plugin as Plugin,
)
from scraper.plugins import (
    installed_plugins as installed_plugins,
)
from scraper.sites.games import game_name as game_name

def open(path: str | Path = "sansho.db") -> KnowledgeBase: ...
def find_damage(path: str | Path = "sansho.db") -> tuple[Damage, ...]: ...
