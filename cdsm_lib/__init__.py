"""A thin library for an executable compendium on compositional distributional semantics."""

__version__ = "0.1.0"
