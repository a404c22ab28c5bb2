"""Rerankers, which read a question and a passage together and say how well one answers the other:
their protocol, and two for models that a person names.

Nothing is downloaded, and no code of a model is run. A cross-encoder takes some 10 to 300 ms of a
processor for a passage, by its size, so that only the best passages are read.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from kb.errors import QuestionError
from scraper import plugins

VARIABLE = "SANSHO_RERANKER"  # of the environment: which model is wanted
_MOST_TOKENS = 512  # of question and passage together; most models were trained with no more
_BATCH = 8  # pairs at a time, by hand: more take more memory and are hardly faster on a processor
_LONGEST_REASON = 200  # characters: some lines of a terminal, of a message that may have pages


@runtime_checkable
class Reranker(Protocol):
    """Scores passages by how well they answer a question."""

    @property
    def name(self) -> str:
        """The model, as people are told which it was."""

    def scores(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return a number for each passage, in their order: the larger, the better it answers the
        question. Only their order and distances count."""


def wanted_reranker() -> Reranker | None:
    """Return the reranker that the environment variable SANSHO_RERANKER names; None if it names
    none, or is `none`.

    A file whose name ends in `.onnx` is a model for ONNX Runtime, with its `tokenizer.json` beside
    it or in the folder above. The name of a plug-in's reranker, with a colon and whatever that
    wants behind it, is that. Anything else is a model of sentence-transformers: a folder, or the
    name of one that was downloaded.

    The model is loaded with the first question, and once in a process. Raises QuestionError if what
    runs it is not installed.
    """
    wanted = os.environ.get(VARIABLE, "").strip()
    return None if wanted.lower() in ("", "none") else _reranker(wanted)


@cache
def _reranker(wanted: str) -> Reranker:
    if wanted.lower().endswith(".onnx"):
        if not (find_spec("onnxruntime") and find_spec("tokenizers")):
            raise QuestionError("reader_missing", variable=VARIABLE)
        return OnnxReranker(Path(wanted))
    name, _, model = wanted.partition(":")
    if found := plugins.making("rerankers", name, Reranker):
        made: Reranker = found[1](model.strip())
        return made
    if find_spec("sentence_transformers") is None:
        raise QuestionError("sentence_transformers_missing", variable=VARIABLE)
    return CrossEncoderReranker(wanted)


class CrossEncoderReranker:
    """A cross-encoder of sentence-transformers."""

    def __init__(self, model: str) -> None:
        """model: a folder, or the name of a model that was downloaded."""
        self._wanted = model
        # Of a folder its own name: answers are also shown to those who don't know this machine.
        self.name = Path(model).name if Path(model).is_dir() else model

    @cached_property
    def _model(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder

            return CrossEncoder(
                self._wanted,
                max_length=_MOST_TOKENS,
                local_files_only=True,
                trust_remote_code=False,
            )
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            raise _not_readable(self._wanted, error) from None

    def scores(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return the scores of passages, as `Reranker` says."""
        model = self._model
        from torch.nn import Identity  # else a sigmoid, which makes all good passages the same

        pairs = [(question, passage) for passage in passages]
        found = model.predict(
            pairs, batch_size=_BATCH, activation_fn=Identity(), show_progress_bar=False
        )
        return [float(score) for score in found]


class OnnxReranker:
    """A cross-encoder for ONNX Runtime, on the processor."""

    def __init__(self, model: Path) -> None:
        """model: its file."""
        self._file = model
        self.name = f"{model.parent.name}/{model.name}"

    @cached_property
    def _session_and_tokenizer(self) -> tuple[Any, Any]:
        beside = self._file.with_name("tokenizer.json")
        words = beside if beside.exists() else self._file.parent.parent / "tokenizer.json"
        try:
            from onnxruntime import InferenceSession
            from tokenizers import Tokenizer

            session = InferenceSession(str(self._file), providers=["CPUExecutionProvider"])
            tokenizer = Tokenizer.from_file(str(words))
        except Exception as error:  # both raise plain ones for a file that they can't read
            raise _not_readable(str(self._file), error) from None
        tokenizer.enable_truncation(_MOST_TOKENS)
        return session, tokenizer

    def scores(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return the scores of passages, as `Reranker` says. One is read at a time: then none is
        filled up, which models do in different ways, and a processor is hardly slower."""
        import numpy as np

        session, tokenizer = self._session_and_tokenizer
        names = [given.name for given in session.get_inputs()]
        found = []
        for passage in passages:
            read = tokenizer.encode(question, passage)
            given = {
                "input_ids": read.ids,
                "attention_mask": read.attention_mask,
                "token_type_ids": read.type_ids,
            }
            [logits, *_] = session.run(
                None, {name: np.array([given[name]], np.int64) for name in names}
            )
            found.append(float(np.asarray(logits).item()))  # ValueError if it is not one number
        return found


def _not_readable(model: str, error: Exception) -> QuestionError:
    why = " ".join(str(error).split())[:_LONGEST_REASON]
    return QuestionError("model_not_readable", variable=VARIABLE, model=model, why=why)
