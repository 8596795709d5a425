"""Video instructions; none has a function yet."""
