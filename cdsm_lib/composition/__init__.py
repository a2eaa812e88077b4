"""Composition: how word vectors become phrase vectors."""
