"""``albic replay``: recorded rounds planned again."""
