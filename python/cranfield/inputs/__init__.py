"""Judgments, runs and measures in every accepted form, and their reading."""
