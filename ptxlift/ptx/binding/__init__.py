"""Binding: operand nodes and operand specifications become builders of typed operands."""
