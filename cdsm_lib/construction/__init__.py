"""How each paper makes its data set, step by step, as functions that count what they leave out."""
