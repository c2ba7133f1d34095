"""``albic config``: every setting and where its value comes from."""
