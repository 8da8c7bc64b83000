"""Tests; a test's path follows from the path of what it tests."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
