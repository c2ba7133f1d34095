"""``albic demo``: a Spark job with drifting hot keys, without albic and then with it."""
