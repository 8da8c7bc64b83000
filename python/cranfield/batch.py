"""Many runs to a data set of scores that can be stopped and resumed at any time."""

from __future__ import annotations

from cranfield._batch.running import BadRun, Batch, evaluate

__all__ = ["BadRun", "Batch", "evaluate"]
