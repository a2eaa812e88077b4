"""Pictures of results and of small linear algebra, each with a text that says what it shows.

Every drawing function returns a `Picture` ``(figure, alt)``: a matplotlib figure and an alternative text built from the
plotted numbers, which begins with the title. A notebook displays both.

In the output of a notebook the alternative text stands twice: as ``alt`` in the metadata of a PNG, and in
``text/plain``, above all that is drawn, as `plotted` reads it off the figure. nbval leaves ``image/png`` out of its
comparison (its bytes depend on the fonts and libraries of a machine); it does compare ``text/plain``, so a chart of
other values fails. In the rendered book `AltText` sets the image's ``alt`` attribute.
"""

from cdsm_lib.plots.charts import (
    bar_chart,
    box_diagram,
    dot_chart,
    draw_vectors,
    heat_map,
    histogram_chart,
    line_chart,
    results_chart,
    roc_chart,
    scatter_chart,
    timeline_chart,
)  # fmt: skip
from cdsm_lib.plots.figure import AltText, Picture, plotted, png

__all__ = [
    "AltText", "Picture", "bar_chart", "box_diagram", "dot_chart", "draw_vectors", "heat_map", "histogram_chart",
    "line_chart", "plotted", "png", "results_chart", "roc_chart", "scatter_chart", "timeline_chart",
]  # fmt: skip
