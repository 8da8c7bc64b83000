"""Fingerprints of what the hooks replace; made by ``tests/oracles/recorders/hosts.py``."""

from __future__ import annotations

KNOWN: dict[str, dict[str, tuple[str, str]]] = {
    "beir": {
        "97a6123b57ad6fb3": ("plain", "2.1.0 to 2.2.0"),
    },
    "ir_measures": {
        "a226728b5e933f1f": ("plain", "0.4.0 to 0.4.1"),
        "df0e4be2741abcef": ("plain", "0.4.2 to 0.4.3"),
    },
    "mteb": {
        "b6bfcb381258d3e4": ("given order, filled lists, cv_recall", "2.0.1 to 2.5.3"),
        "aa9d3598b37055e5": ("given order, filled lists, cv_recall", "2.5.4 to 2.7.16"),
        "26bd035d159ec65a": ("given order, filled lists, cv_recall", "2.7.17 to 2.10.1"),
        "122e51669895a100": ("given order, filled lists", "2.10.2 to 2.12.12"),
        "095d86618ecb0dbe": ("given order, filled lists", "2.12.13 to 2.12.20"),
        "42c6aab2e71587c0": ("given order", "2.12.21"),
        "2f3aad2fa8f948c1": ("given order, skips", "2.12.22 to 2.12.30"),
        "317699a21c0b49c2": ("given order, skips", "2.14.5 to 2.18.18"),
        "bc6a104a7f090ac6": ("skips", "2.18.19 to 2.18.20"),
        "aceab87bb0959b88": ("skips", "2.19.0 to 2.20.4"),
        "a9b998b716ffe95a": ("skips", "2.20.5 to 2.26.4"),
        "823856bad8f88ee7": ("skips, shared", "2.26.5 to 2.26.24"),
    },
    "sentence_transformers": {
        "07848e1a9a77375f": ("given order", "3.3.0 to 5.7.0"),
        "4bef9011db4edbd3": ("plain", "6.0.0 to 6.2.0"),
    },
}
"""For each host and fingerprint in what way its code differs, and the releases that have it.

What the words stand for is said where they are used, in the hook.
"""
