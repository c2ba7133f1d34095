"""``albic plan``: which key groups to move where."""
