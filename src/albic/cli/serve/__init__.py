"""``albic serve``: the live page, the API and the metrics of journals."""
