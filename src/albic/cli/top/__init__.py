"""``albic top``: a job as it runs, on a terminal."""
