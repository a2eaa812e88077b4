"""Figures with sliders: an example by hand."""

import json

from cdsm_lib.sliders import Frame, Plane, Slider, moving_figure


def shifted(right: float, up: float) -> Frame:
    plane = Plane({"u": (right, up), "v": (-2, 1)}, [[0, 1], [1, 0]], (right, up), [(3, 4)])
    ranking = [("a", True), ("b", False)]
    return Frame({"length": right + up}, {"plane": plane}, ranking if up else ranking[::-1])


def made(**changes):
    sliders = [Slider("Right", [0, 1.5], " cm"), Slider("Up", [0, 4])]
    usual = {"sliders": sliders, "frame": shifted, "shown": [(1.5, 4), (0, 4)], "title": "A shift"}
    return moving_figure(**usual | changes)


def test_a_figure_holds_the_numbers_of_every_place():
    """Two sliders of two places; ends from (-2, 0) to (3, 4), so 5 wide, with a margin of 1.35 and of 0.6."""
    told = json.loads(made(axes=("x", "y"), decimals=1).frames)
    assert told["sliders"] == [{"name": "Right", "places": ["0 cm", "1.5 cm"], "at": 1},
                               {"name": "Up", "places": ["0", "4"], "at": 1}]  # fmt: skip
    assert [frame["values"] for frame in told["frames"]] == [["0.0"], ["4.0"], ["1.5"], ["5.5"]]
    plane = {"grid": [0, 1, 1, 0, 1.5, 0], "arrows": [[1.5, 0], [-2, 1]], "circles": [[3, 4]]}
    assert told["frames"][2]["planes"] == [plane]
    assert told["box"] == [-3.35, -0.6, 4.35, 4.6] and told["step"] == 0.5 and told["axes"] == ["x", "y"]
    ranked = [[told["items"][i] for i in frame["ranking"]] for frame in told["frames"]]
    assert ranked[0] == [["b", False], ["a", True]] and ranked[1] == [["a", True], ["b", False]]
    assert told["planes"] == [{"title": "plane", "arrows": ["u", "v"]}] and told["values"] == ["length"]
