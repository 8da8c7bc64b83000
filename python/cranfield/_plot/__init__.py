"""Plots with matplotlib, of scores, comparisons and curves."""
