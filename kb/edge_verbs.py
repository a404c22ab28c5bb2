"""The words that say for people how the nodes at the ends of an edge are connected."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphs.model import Edge

# What an edge of each kind says of its source, and of its target.
VERBS = {
    "defines": ("defines", "defined by"),
    "cites": ("cites", "cited by"),
    "redirects_to": ("redirects to", "redirected from"),
    "same_concept": ("same concept as", "same concept as"),
    "quotes": ("gives the text of", "text given by"),
    "succeeds": ("succeeds", "succeeded by"),
    "translates": ("translates", "translates"),
    "links_to": ("links to", "linked from"),
    "mentions": ("mentions", "mentioned by"),
    "part_of": ("part of", "contains"),
}


def how_proposed(edge: Edge) -> str:
    """Return on what an edge rests that no page states (`Edge.is_proposed`)."""
    details = edge.details or {}
    return f"proposed: together in {details.get('both')} of {details.get('of')} rules"
