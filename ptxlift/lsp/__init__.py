"""The language server: diagnostics, hover, completion, definitions and symbols for editors."""
