"""The graph itself: nodes, edges and evidence, the file they live in, how they are walked."""

from graphs.errors import StoreError
from graphs.model import (
    STRENGTH,
    Claim,
    Edge,
    Evidence,
    Facts,
    Label,
    LabelClaim,
    Node,
    Own,
    Want,
)

__all__ = [
    "STRENGTH", "Claim", "Edge", "Evidence", "Facts", "Label", "LabelClaim", "Node", "Own",
    "StoreError", "Want",
]  # fmt: skip
