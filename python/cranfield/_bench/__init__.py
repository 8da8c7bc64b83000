"""Measuring how fast runs are scored, next to other evaluators.

``shapes`` makes what is scored, ``engines`` puts each evaluator to work and has its names of
measures, ``race`` compares the values and then measures both sides in turn, ``report`` writes
and reads what was found.

``cranfield bench`` and the project's own record of speed are made with it.
"""
