"""Texts with places to fill in: pages of the site, and the README of what a class gets."""

from pathlib import Path

import jinja2

_templates = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent),
    undefined=jinja2.StrictUndefined,
    trim_blocks=False,
    keep_trailing_newline=True,
)


def fill(template: str, /, **values) -> str:
    """A template with its values; an error for one that is missing."""
    return _templates.get_template(f"{template}.jinja").render(values)
