"""Measuring how fast runs are scored, beside other evaluators.

``shapes`` makes what is scored, ``spelling`` says what a measure is called where,
``engines`` puts each evaluator to work, ``race`` compares the values and then
measures both sides in turn, ``report`` writes and reads what was found.

``cranfield bench`` and the project's own record of speed are made with it.
"""
