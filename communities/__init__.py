"""Communities: graph arithmetic on a snapshot. No network, no model, no database."""
