"""The figures: which points, which claims, which charts."""
