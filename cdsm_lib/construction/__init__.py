"""How each paper makes its data set, step by step, with a funnel."""
