"""Tasks, one module each: items, loading, validation, scoring."""
