"""``albic journal``: what a controller did, shown, followed and made a trace of."""
