"""``albic advise``: what placement cannot fix, from a journal."""
