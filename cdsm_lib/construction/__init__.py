"""How the papers' data sets are made, step by step."""
