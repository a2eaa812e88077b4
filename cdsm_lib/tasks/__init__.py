"""Tasks, one module each: items, loading, construction, scoring."""
