"""What stands beside a text, without leaving it: previews of nodes, and what speaks of a rule."""

from __future__ import annotations

import kb
from kb.web.request_and_reply import Reply, Visit

# Below a paragraph, by hand: what fits in a glance. With more, all are fetched when it is opened.
MOST_COMMENTS = 3
_AT_ONCE = 100  # comments on a page of its own
_SECONDS = 300  # for which a browser keeps a preview: a reader points at the same names again


def preview(visit: Visit) -> Reply:
    """Return what a node is, in a few lines: a small page of which a script shows the article. The
    id is the rest of the path, or the parameter `id`; with status 404 if no node has it."""
    is_path = visit.path != "preview"
    node_id = visit.path.removeprefix("preview/") if is_path else visit.text("id")
    found = visit.base.preview(node_id, lang=visit.interface.lang)
    faces = kb.card_faces(found.node.details) if found.node.kind == "card" else ()
    present = visit.base.present_rules([found.node.id], same_language=True).get(found.node.id)
    values = {"node": found.node, "found": found, "faces": faces, "present": present}
    return Reply("preview.html", values, found.as_json, max_age=_SECONDS)


def commentary(visit: Visit) -> Reply:
    """Return what pages say of a rule: the sentences, rulings and cards that cite or quote it. A
    part of them from `start`; of the rule by its id in `ref`."""
    rule = visit.base.preview(visit.text("ref")).node
    said = visit.base.commentary([rule.id]).get(rule.id, kb.Commentary((), 0))
    start, following = visit.part_of(said.total, _AT_ONCE)
    shown = said.comments[start:following]
    values = {"node": rule, "comments": shown, "start": start, "next": following, "said": said}
    return Reply("commentary.html", values, said.as_json)
