"""Rerankers that a person names: what they change in the order of answers, and what is said where
they fail. Stubs stand for the libraries and their models."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import kb
from kb.query.near import rerankers
from kb.query.near import rerankers as module
from kb.query.near.encoders import embeddable_text
from kb.query.near.rerankers import VARIABLE, wanted_reranker
from kb.result import document
from tests.commands import run

QUESTION = "カードを引く効果を置換するとどうなりますか？"


class Stub:
    """A reranker that does what a function does with passages."""

    name = "stub 1"

    def __init__(self, score: Callable[[Sequence[str]], Any]) -> None:
        self.asked: list[tuple[str, list[str]]] = []
        self._score = score

    def scores(self, question: str, passages: Sequence[str]) -> Any:
        self.asked.append((question, [*passages]))
        return self._score(passages)


@pytest.fixture(scope="module")
def base() -> Iterator[kb.KnowledgeBase]:
    with kb.sample() as sample:
        yield sample


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Sequence[str]], Any]], Stub]:
    def use(score: Callable[[Sequence[str]], Any]) -> Stub:
        stub = Stub(score)
        monkeypatch.setenv(VARIABLE, "stub")
        monkeypatch.setattr(module, "wanted_reranker", lambda: stub)
        return stub

    return use


def ids(answers: kb.Answers) -> list[str]:
    return [answer.passage.id for answer in answers.answers]


def test_what_it_prefers_comes_first_and_each_answer_says_so(
    base: kb.KnowledgeBase, use: Callable[..., Stub]
) -> None:
    before = base.ask(QUESTION, top=8)
    stub = use(lambda passages: [float(place == 4) for place in range(len(passages))])
    after = base.ask(QUESTION, top=8)
    assert ids(after)[0] == ids(before)[4] and set(ids(after)) == set(ids(before))
    [(question, passages)] = stub.asked
    assert question == embeddable_text(QUESTION) and 8 < len(passages) <= 30
    first = document(after.answers[0].why[-1])
    assert first["reason"] == "reread"
    assert first["values"] == {"reranker": "stub 1", "place": 1, "most": len(passages)}
    scores = [answer.score for answer in base.ask(QUESTION, top=60).answers]
    assert scores == sorted(scores, reverse=True) and len(scores) > 30
    done = run("ask", QUESTION, "--why", of=base)
    assert "stub 1 ranks it 1 of" in " ".join(done.stdout.split())


def test_both_orders_count_the_same(base: kb.KnowledgeBase, use: Callable[..., Stub]) -> None:
    before = base.ask(QUESTION, top=30)
    use(lambda passages: [7.0] * len(passages))  # it knows no difference
    assert ids(base.ask(QUESTION, top=30)) == ids(before)
    by_features = {answer.passage.id: answer.score for answer in before.answers}
    order = ids(before)
    use(lambda passages: [-1000.0 * by_features.get(each, 0) for each in order[: len(passages)]])
    # The very opposite: all get the same sum, whatever the scale.
    same = {round(answer.score, 1) for answer in base.ask(QUESTION, top=30).answers}
    assert len(same) == 1


def test_the_rule_that_a_question_names_stays_first(
    base: kb.KnowledgeBase, use: Callable[..., Stub]
) -> None:
    named = ids(base.ask("121.6aとは？"))[0]
    use(lambda passages: range(len(passages)))
    assert ids(base.ask("121.6aとは？"))[0] == named


def fails(passages: Sequence[str]) -> Any:
    raise RuntimeError("out of\nmemory")


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (lambda passages: [1.0], "not 30 numbers"),
        (lambda passages: [1.0] * (len(passages) + 1), "not 30 numbers"),
        (lambda passages: [float("nan"), *[1.0] * (len(passages) - 1)], "not 30 numbers"),
        (lambda passages: [float("inf"), *[1.0] * (len(passages) - 1)], "not 30 numbers"),
        (lambda passages: ["high"] * len(passages), "could not convert"),
        (lambda passages: None, "not iterable"),
        (fails, "out of"),
    ],
)
def test_where_it_fails_the_features_decide_and_a_sentence_says_so(
    base: kb.KnowledgeBase, use: Callable[..., Stub], score: Any, said: str
) -> None:
    before = base.ask(QUESTION)
    use(score)
    after = base.ask(QUESTION)
    assert after.answers == before.answers
    [reason] = after.taken_as
    assert "without a reranker" in str(reason) and said in str(reason)
    done = run("ask", QUESTION, of=base)
    assert done.exit_code == 0 and "without a reranker" in done.stderr


def test_a_question_that_the_pages_do_not_answer_is_not_read(
    base: kb.KnowledgeBase, use: Callable[..., Stub]
) -> None:
    stub = use(lambda passages: [1.0] * len(passages))
    assert not base.ask("消費税は何パーセント？").answers and not stub.asked


def test_without_the_variable_nothing_of_it_is_imported() -> None:
    code = (
        "import sys, kb; kb.sample().ask('カードを引く')\n"
        "sys.exit(any('rerankers' in name for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# -- the libraries ----------------------------------------------------------------------------

SENTENCE_TRANSFORMERS = """
class CrossEncoder:
    def __init__(self, model, *, max_length, local_files_only, trust_remote_code):
        assert local_files_only and not trust_remote_code
        if model == "absent":
            raise OSError("no such\\nmodel")

    def predict(self, pairs, *, batch_size, activation_fn, show_progress_bar):
        assert type(activation_fn).__name__ == "Identity" and not show_progress_bar
        return [len(passage) for _, passage in pairs]
"""
ONNXRUNTIME = """
class InferenceSession:
    def __init__(self, path, providers):
        open(path).close()

    def get_inputs(self):
        return [type("Input", (), {"name": name}) for name in ("input_ids", "attention_mask")]

    def run(self, wanted, given):
        assert wanted is None and set(given) == {"input_ids", "attention_mask"}
        assert given["input_ids"].dtype == "int64" and given["input_ids"].shape[0] == 1
        return [given["input_ids"].sum(axis=1, keepdims=True) * 0.5]
"""
TOKENIZERS = """
class Tokenizer:
    @classmethod
    def from_file(cls, path):
        open(path).close()
        return cls()

    def enable_truncation(self, most):
        assert most == 512

    def encode(self, question, passage):
        ids = [1] * len(question) + [2] * len(passage)
        return type("Encoding", (), {"ids": ids, "attention_mask": ids, "type_ids": ids})
"""


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with stubs of what runs models, and with a model for ONNX Runtime."""
    stubs = {
        "sentence_transformers": SENTENCE_TRANSFORMERS,
        "onnxruntime": ONNXRUNTIME,
        "tokenizers": TOKENIZERS,
        "torch/__init__": "",
        "torch/nn": "class Identity: pass",
    }
    (tmp_path / "torch").mkdir()
    for name, text in stubs.items():
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name.split("/")[0], raising=False)
    monkeypatch.delitem(sys.modules, "torch.nn", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "small" / "onnx").mkdir(parents=True)
    for name in ("onnx/model.onnx", "tokenizer.json"):
        (tmp_path / "small" / name).touch()
    rerankers._reranker.cache_clear()
    return tmp_path


def test_a_model_of_sentence_transformers(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for model, name in (("someone/small", "someone/small"), (str(libraries / "small"), "small")):
        monkeypatch.setenv(VARIABLE, model)
        reranker = wanted_reranker()
        assert reranker and reranker.name == name
        assert reranker.scores("引く", ["札", "札を引く"]) == [1, 4]
    monkeypatch.setenv(VARIABLE, "absent")
    absent = wanted_reranker()
    with pytest.raises(kb.QuestionError, match=r"absent is not on this machine.*no such model"):
        assert absent and absent.scores("引く", ["札"])


def test_a_model_for_onnx_runtime(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = libraries / "small" / "onnx" / "model.onnx"
    monkeypatch.setenv(VARIABLE, str(model))
    reranker = wanted_reranker()
    assert reranker and reranker.name == "onnx/model.onnx"
    assert reranker.scores("引く", ["札", "札を引く"]) == [2, 5]
    (libraries / "small" / "tokenizer.json").unlink()
    rerankers._reranker.cache_clear()
    without = wanted_reranker()
    with pytest.raises(kb.QuestionError, match="not on this machine"):
        assert without and without.scores("引く", ["札"])


@pytest.mark.parametrize(
    ("wanted", "said"),
    [("x.onnx", r"pip install 'sansho\[reader\]'"), ("x", "pip install sentence-transformers")],
)
def test_what_runs_a_model_may_be_missing(
    wanted: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rerankers._reranker.cache_clear()
    monkeypatch.setenv(VARIABLE, wanted)
    monkeypatch.setattr(rerankers, "find_spec", lambda name: None)
    with pytest.raises(kb.QuestionError, match=said):
        wanted_reranker()
    monkeypatch.setenv(VARIABLE, " none ")
    assert wanted_reranker() is None
