"""The words by which rulebooks in Dutch cite rules, list them and head their parts.

A module of a language imports nothing of sansho but this: it is read before everything else.
"""

from scraper.rulebook.languages import latin_language

DUTCH = latin_language(
    "nl",
    common="de het een van en is dat niet je wordt met op voor zijn als kan deze speler kaart",
    book="Volledige regels",
    chapter_prefixes=("hoofdstuk", "deel"),
    glossary=("(?:begrippen|woorden)lijst", "verklarende woordenlijst", "glossarium"),
    credits=("colofon", "met dank aan", "register"),
    history=("wijzigingen", "versiegeschiedenis"),
    contents=("inhoud(?:sopgave)?",),
    appendix=("bijlage",),
    excerpt=("uittreksel",),
    example=("voorbeeld(?:en)?",),
    page=("pagina", "blz\\."),
    effective=("geldig vanaf", "van kracht vanaf", "geldt vanaf"),
    updated=("bijgewerkt", "laatst gewijzigd"),
    other_editions=("vervangt", "vorige", "volgende", "tot en met"),
    months=(
        "januari", "februari", "maart", "april", "mei", "juni",
        "juli", "augustus", "september", "oktober", "november", "december",
    ),
    generic_titles=(
        r"(?:spel|toernooi|basis)?regels\b",
        r"\b(?:volledige|officiële|uitgebreide)\b",
        "handleiding",
    ),
    rule_words=("regel", "regels"),
    section_words=("paragraaf", "paragrafen", "hoofdstuk", "hoofdstukken"),
    ranges=("tot en met", "tot", "t/m"),
    conjunctions=("en", "of"),
    articles=("de",),
    quotes=("„”", "“”"),
    see_before=("zie(?: ook)?:?", "vgl\\."),
    subject_before=("(?:volgens|overeenkomstig)(?: de)?",),
    cited_before=("volgens", "in", "onder"),
    exception_before=("uitzonderingen? op", "in afwijking van"),
    definition_before=("(?:gedefinieerd|beschreven|uitgelegd) in",),
    former_before=("voorheen", "vroeger"),
    units=("kaarten?", "spelers?", "punten", "schade", "keer", "uur", "minuten", "procent", "euro"),
    quantities=("versie", "ongeveer", "figuur", "tabel"),
)  # fmt: skip
