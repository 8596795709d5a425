"""A translation for people to look at: PTX, IR and assembly beside each other, line by line."""

from ptxlift.view.lines import Line, Listings, listings_of
from ptxlift.view.page import render

__all__ = ["Line", "Listings", "listings_of", "render"]
