"""Modules with the interfaces of other packages, computed by cranfield.

Each is imported by its name here (``from cranfield.compat import pytrec_eval``)
or stands in for the package itself, before a host imports it::

    import cranfield as cf
    installed = cf.install_as("pytrec_eval")
    import pytrec_eval
    pytrec_eval.RelevanceEvaluator.__module__
    # 'cranfield.compat.pytrec_eval'
    installed.undo()
"""

from __future__ import annotations

from cranfield.compat._installing import Installed, install_as

__all__ = ["Installed", "install_as"]
