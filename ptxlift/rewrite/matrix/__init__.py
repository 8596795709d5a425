"""Matrix products as the ops that every target has."""
