"""Textures and surfaces by image instructions, through HIP's objects.

Chips without them never get here: `rewrite.images` has made calls of the ops before, except in
fragments, which are one function.
"""
