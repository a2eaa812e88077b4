"""Claims as lines: which effect stands for one, what unfolds, and where links lead."""


from cdsm_lib.evaluation.verdicts import Test


def compared(value: float, half: float, verdict: str) -> Test:
    return Test(
        "greater", verdict, ("A", "B"), (0.5 + value, 0.5), value, value - half, value + half, (0.0,), 0.01, (9,)
    )


NARROW, WIDE = compared(0.1, 0.02, "holds"), compared(0.1, 0.09, "holds")
OPEN, LOST = compared(0.01, 0.05, "undecided"), compared(-0.2, 0.02, "fails")


