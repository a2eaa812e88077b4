"""How well: metrics, significance, results and claims."""
