"""Measuring how fast runs are scored, next to other evaluators.

``shapes`` makes what is scored, ``spelling`` has the names of measures in each engine,
``engines`` puts each evaluator to work, ``race`` compares the values and then
measures both sides in turn, ``report`` writes and reads what was found.

``cranfield bench`` and the project's own record of speed are made with it.
"""
