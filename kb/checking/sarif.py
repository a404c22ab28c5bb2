"""Writes findings as SARIF 2.1.0, which editors and code hosts show beside the lines of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from kb.checking.baseline import fingerprints
from kb.checking.draft import Finding

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_FINGERPRINT = "sanshoFinding/v1"
Level = Literal["error", "warning", "note"]


class Rule(NamedTuple):
    """What a kind of findings is about, for people.

    level: how bad it is. summary: one sentence. help: what to do.
    """

    level: Level
    summary: str
    help: str


RULES: dict[str, Rule] = {
    "missing-term": Rule(
        "error",
        "A term of the source has none of its approved names in the translation.",
        "Use the name that is expected, or add the one that you use to your decisions.",
    ),
    "inconsistent-term": Rule(
        "warning",
        "A term is translated in more than one way in the same document.",
        "Choose one of its names, and use it throughout.",
    ),
    "missing-text": Rule(
        "warning",
        "The translation is much shorter than its source.",
        "Compare the sentences of both sides: one may have been left out.",
    ),
    "merged-terms": Rule(
        "warning",
        "The name of another term of the game stands for a term of the source.",
        "Use the name that is expected, so that readers can tell the two apart.",
    ),
    "deprecated-term": Rule(
        "warning",
        "A name is used that the termbase calls deprecated.",
        "Use the preferred name.",
    ),
    "forbidden-term": Rule(
        "error",
        "A name is used that a decision forbids.",
        "Use the preferred name, or change the decision.",
    ),
    "other-game-term": Rule(
        "error",
        "A name is used that only another game has for this concept.",
        "Use the name that the game of this text has.",
    ),
    "opposite": Rule(
        "error",
        "The translation says the opposite of its source: a word for another, or a lost denial.",
        "Say what the source says.",
    ),
    "number": Rule(
        "error",
        "A number or count of the source is another one in the translation, or not there.",
        "Compare the numbers of both sides.",
    ),
    "rule-number": Rule(
        "error",
        "The number of a rule in the source is another one in the translation, or not there.",
        "Compare the numbers of both sides.",
    ),
    "moved-citation": Rule(
        "error",
        "The rule that is cited has another number in the edition that is meant.",
        "Cite the number that the rule has in that edition.",
    ),
    "card-name": Rule(
        "error",
        "The name of a card is not as it is printed.",
        "Write the name as it is printed.",
    ),
    "spelling": Rule(
        "note",
        "A word is spelled in another way than elsewhere.",
        "Use the spelling that is expected.",
    ),
}
# The verdicts of `verify`.
VERDICTS: dict[str, Rule] = {
    "moved": Rule("error", "The cited rule has another number now.", "Cite that number."),
    "gone": Rule("error", "The cited rule is not there any more.", "See what took its place."),
    "changed": Rule(
        "warning",
        "The cited or quoted rule says something else now.",
        "Read whether the text is still right.",
    ),
    "about-something-else": Rule(
        "warning",
        "The sentence speaks of another rule than the one cited.",
        "Cite the rule that is meant.",
    ),
    "other-edition": Rule(
        "warning", "It is right in another edition of the rules alone.", "Name it, or mend it."
    ),
    "repaired": Rule("warning", "It is nearly right.", "Write what is expected."),
    "contradicts": Rule("error", "The words turn what the rule says.", "Quote the rule's words."),
    "not-found": Rule("error", "There is no such rule, or no such words.", "Look it up."),
}
_OTHER_RULE = Rule("warning", "The translation departs from the termbase.", "See the message.")


def sarif(findings: Iterable[Finding], draft_path: str | Path, version: str) -> dict[str, Any]:
    """Return findings as a SARIF 2.1.0 log with one run, as a JSON document; results are in the
    order of the findings, and all kinds are among the rules, met or not.

    findings: all of one draft. version: of sansho.
    draft_path: of the draft; in the log it is relative to the current folder if it is inside it.

    >>> finding = Finding(3, 0, 4, "Pull", "forbidden-term", "Draw")
    >>> log = sarif([finding], "drafts/引く.md", "1.0")
    >>> log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    'drafts/%E5%BC%95%E3%81%8F.md'
    """
    return _log({str(draft_path): findings}, RULES, version)


def sarif_of_claims(findings: Mapping[str, Sequence[Finding]], version: str) -> dict[str, Any]:
    """Return what `verify` found in files as a SARIF 2.1.0 log with one run; as for `sarif`.

    findings: {file: its findings}.
    """
    return _log(findings, VERDICTS, version)


def _log(
    findings: Mapping[str, Iterable[Finding]], rules: Mapping[str, Rule], version: str
) -> dict[str, Any]:
    known = {file: list(fingerprints(of_file)) for file, of_file in findings.items()}
    met = {finding.kind for of_file in known.values() for finding, _ in of_file}
    kinds = [*rules, *sorted(met - rules.keys())]
    artifacts = [{"location": _artifact_location(file)} for file in known]
    driver = {
        "name": "sansho",
        "version": version,
        "rules": [_rule(kind, rules.get(kind, _OTHER_RULE)) for kind in kinds],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": artifacts,
        "results": [
            _result(finding, fingerprint, kinds.index(finding.kind), artifact["location"], rules)
            for artifact, of_file in zip(artifacts, known.values(), strict=True)
            for finding, fingerprint in of_file
        ],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _artifact_location(draft_path: str | Path) -> dict[str, Any]:
    """Return SARIF's artifactLocation of the draft: relative to `%SRCROOT%` where it is below the
    current folder and its path has no `..`, else with a `file:` URI."""
    path = Path(draft_path)
    if path.is_absolute():
        if not path.is_relative_to(Path.cwd()):
            return {"uri": path.as_uri()}
        path = path.relative_to(Path.cwd())
    if ".." in path.parts:
        return {"uri": Path(Path.cwd(), path).resolve().as_uri()}
    return {"uri": quote(path.as_posix(), safe="/"), "uriBaseId": "%SRCROOT%"}


def _rule(kind: str, rule: Rule) -> dict[str, Any]:
    """Return the description of a kind of findings, a `reportingDescriptor` of SARIF."""
    return {
        "id": kind,
        "name": "".join(word.capitalize() for word in kind.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.summary} {rule.help}"},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(
    finding: Finding,
    fingerprint: str,
    rule_index: int,
    location: dict[str, Any],
    rules: Mapping[str, Rule],
) -> dict[str, Any]:
    """Return one finding as a `result` of SARIF; what is empty is not among its properties.

    rule_index: of its kind among the rules. location: of the draft."""
    rule = rules.get(finding.kind, _OTHER_RULE)
    place: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": location, "region": _region(finding)}
    }
    if finding.segment:
        place["logicalLocations"] = [{"name": finding.segment, "kind": "element"}]
    details = {
        "text": finding.text,
        "expected": finding.expected,
        "suggestion": finding.suggestion,
        "term": finding.term,
        "authority": finding.authority,
        "source": finding.source_text,
    }
    return {
        "ruleId": finding.kind,
        "ruleIndex": rule_index,
        "level": rule.level,
        "message": {"text": finding.message or rule.summary},
        "locations": [place],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
        "properties": {name: value for name, value in details.items() if value},
    }


def _region(finding: Finding) -> dict[str, Any]:
    """Return where a finding is; lines and columns are from 1 in SARIF, the end excluded."""
    end_line = finding.end_line or finding.line
    region: dict[str, Any] = {
        "startLine": finding.line,
        "startColumn": finding.start + 1,
        "endLine": end_line,
        "endColumn": finding.end + 1,
    }
    if finding.text:
        region["snippet"] = {"text": finding.text}
    return region
