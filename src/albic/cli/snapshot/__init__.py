"""``albic snapshot``: snapshots made and shown."""
