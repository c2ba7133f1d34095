"""``albic network``: what lies in the checkpoint of an operator network."""
