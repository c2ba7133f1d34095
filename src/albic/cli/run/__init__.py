"""``albic run``: a job on an embedded cluster, once with each planner; or the job ``swing``."""
