"""Generic mathematics: items, bins and graphs; nothing here knows a node or a key group."""
