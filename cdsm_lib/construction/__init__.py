"""How each paper makes its data set, one module a task: the paper's steps as functions."""
