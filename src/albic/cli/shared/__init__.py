"""What several commands have in common: options, the terminal, planning, tables."""
