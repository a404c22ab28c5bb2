"""Where the tests find what they need."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

import kb
from tests.explorer import Visitor, chromium, serving
from tests.shared_bases import built_of_rules_and_pages, built_once, folder_of_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from starlette.testclient import TestClient

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("SANSHO_SHARED", ROOT.parent / "shared"))
SAMPLE = ROOT / "kb" / "sample"

os.environ["SANSHO_RAISE"] = "1"  # what a parser raises must fail a test, not become a warning

# The same examples in each run, so that a change alone turns a run red; for others,
# pytest --hypothesis-profile=explore.
_OWN = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("sansho", _OWN, max_examples=20, derandomize=True)
settings.register_profile("explore", _OWN, max_examples=1_000)
settings.load_profile("sansho")


def pytest_configure() -> None:
    """Switch the encoder off, as each build would embed passages for its last words. Tests of
    vectors set one themselves; benchmarks, which read this file, too, have the installed one."""
    os.environ["SANSHO_ENCODER"] = "none"


def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than there are cores: crawls and tests in a browser mostly wait."""
    own = getattr(os, "sched_getaffinity", None)  # the cores that we may use, where that is known
    return (len(own(0)) if own else os.cpu_count() or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that have most slow tests, so that no process ends long after the
    others; skip, saying so, what needs the captures and corpora where they are not."""
    slow = Counter(item.path for item in items if "slow" in item.keywords)
    items.sort(key=lambda item: -slow[item.path])
    if SHARED.is_dir():
        return
    skip = pytest.mark.skip(reason=f"the captures and corpora are not here ({SHARED.name}/)")
    for item in items:
        if "shared" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of captures, pages and corpora."""
    return SHARED


@pytest.fixture(scope="session")
def base() -> Iterator[kb.KnowledgeBase]:
    """The bundled sample, open."""
    with kb.sample() as opened:
        yield opened


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., kb.KnowledgeBase]:
    """Builds a knowledge base of some sources, once for all tests of the run, and opens it."""
    folder = folder_of_run(tmp_path_factory)
    known: dict[tuple[Path, ...], kb.KnowledgeBase] = {}

    def build(*sources: Path) -> kb.KnowledgeBase:
        if sources not in known:
            known[sources] = kb.open(built_once(folder, sources))
        return known[sources]

    return build


@pytest.fixture(scope="session")
def rules_and_pages(
    shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[kb.KnowledgeBase]:
    """The captured pages and rulebooks that most tests on real rules ask, built once in a run."""
    with kb.open(built_of_rules_and_pages(folder_of_run(tmp_path_factory), shared)) as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests of one file; they are skipped where there is none."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def client(base: kb.KnowledgeBase) -> Iterator[TestClient]:
    """Asks an explorer of the bundled sample, without a server."""
    from starlette.testclient import TestClient

    from kb.web.app import create_app

    served = kb.ReopenedBase(base.file)
    with TestClient(create_app(served), "http://127.0.0.1", follow_redirects=False) as opened:
        yield opened
    served.close()


@pytest.fixture(scope="session")
def explorer(base: kb.KnowledgeBase) -> Iterator[str]:
    """The address of an explorer of the bundled sample."""
    from kb.web.app import create_app

    served = kb.ReopenedBase(base.file)
    with serving(create_app(served)) as address:
        yield address
    served.close()


@pytest.fixture
def visit(browser: Browser, explorer: str) -> Iterator[Visitor]:
    """Opens pages of the explorer over the bundled sample; fails if anything is amiss in them."""
    visitor = Visitor(browser, explorer)
    yield visitor
    visitor.close()
