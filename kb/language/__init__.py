"""Japanese and English text: tokens, verbs, folding, headwords, citations, diffs, thesaurus."""
