"""Spaces of words: weighting, reduction, embeddings, senses."""
