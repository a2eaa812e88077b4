"""What the tasks' errors have in common: file, line, problem and remedy."""


class TaskError(ValueError):
    """A file, an item or a score that does not fit its task.

    Parameters
    ----------
    path : path or None
        File concerned.
    line : int or None
        Its line, from 1.
    problem : str
        What is wrong and what to do.
    """

    def __init__(self, path, line: int | None, problem: str):
        self.path, self.line, self.problem = path, line, problem
        where = "".join([f"{path}, " if path else "", f"line {line}: " if line else ""])
        super().__init__(where.removesuffix(", ") + (": " if path and not line else "") + problem)
