"""From the corpus to the committed figures, one module a chapter."""
