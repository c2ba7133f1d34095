"""What the planners are measured with; ``make bench`` runs it, nothing imports it."""
