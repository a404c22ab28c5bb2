"""The file of fitted weights: a row for each feature, and no other."""

from __future__ import annotations

from kb.query.answers.features import Features
from kb.query.answers.fitted_weights import FILE
from kb.query.answers.refusal import RefusalFeatures
from kb.query.answers.sentence_features import SentenceFeatures


def test_each_feature_has_its_weights() -> None:
    lines = FILE.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    named = [
        *((f"ranking.{name}", 2) for name in Features._fields),
        *((f"refusal.{name}", 2) for name in RefusalFeatures._fields),
        *((f"sentence.{name}", 1) for name in SentenceFeatures._fields),
    ]
    assert [(name, len(weights)) for name, *weights in rows] == named
