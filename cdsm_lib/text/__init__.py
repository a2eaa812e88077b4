"""From parsed text to counts: corpus, extraction, tagger, lexicon."""
