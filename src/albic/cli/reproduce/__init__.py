"""``albic reproduce``: the paper's evaluation run again."""
