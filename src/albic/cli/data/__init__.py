"""``albic data``: datasets listed, checked, generated and counted."""
