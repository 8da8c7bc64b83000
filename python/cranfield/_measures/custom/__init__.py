"""Your own measures: Python functions that are scored as the built-in ones are.

>>> import cranfield as cf
>>> @cf.measure("first_hit", better="higher")
... def first_hit(topic, *, weight=1.0):
...     hits = topic.ranks[topic.grades >= topic.rel]
...     return weight / hits[0] if len(hits) else 0.0
>>> scores = cf.evaluate({"1": {"a": 1}}, {"1": {"b": 2, "a": 1}}, [first_hit, "RR"])
>>> scores.mean().tolist()
[[0.5, 0.5]]

A measure is a value, as the built-in ones: ``first_hit(weight=2) @ 10`` has
another weight and a cutoff, ``first_hit.prime`` sees the condensed list. While
the process knows the function, text names it as well:
``"first_hit(weight=2)@10 AP"``.
"""

from __future__ import annotations

from cranfield._measures.custom.definition import PROPERTIES, CustomMeasure, measure, settled
from cranfield._measures.custom.spelling import is_own, load, parsed
from cranfield._measures.custom.topics import Judged, Lists, Topic, Topics

__all__ = [
    "PROPERTIES",
    "CustomMeasure",
    "Judged",
    "Lists",
    "Topic",
    "Topics",
    "is_own",
    "load",
    "measure",
    "parsed",
    "settled",
]
