"""Matrix products on AMD's matrix instructions."""
