"""``albic compare``: the same question to several planners, and one table."""
