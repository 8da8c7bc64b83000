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

import sys
from importlib import import_module

from cranfield.options import checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType, TracebackType

__all__ = ["Installed", "install_as"]

NAMES = ("pytrec_eval",)
"""The packages that have a module here."""

_installed: dict[str, Installed] = {}


class Installed:
    """A module that stands in for a package, until :meth:`undo`.

    It is a context manager too, which undoes at its end.
    """

    def __init__(self, name: str, module: ModuleType, before: ModuleType | None) -> None:
        self.name = name
        self.module = module
        self._before = before

    def undo(self) -> None:
        """Put back what was there before. Code that imported the module keeps it.

        Does nothing if something else has taken the name since.
        """
        if sys.modules.get(self.name) is not self.module:
            return
        if self._before is None:
            del sys.modules[self.name]
        else:
            sys.modules[self.name] = self._before

    def __enter__(self) -> ModuleType:
        return self.module

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.undo()

    def __repr__(self) -> str:
        return f"<{self.module.__name__} installed as {self.name}>"


@checked
def install_as(name: str, *, force: bool = False) -> Installed:
    """Let ``import name`` find the module of :mod:`cranfield.compat`.

    Call it before a host imports the package: code that imported it keeps what it
    has. The package itself need not be installed, and is not imported.

    Parameters
    ----------
    name
        The package, one of ``pytrec_eval``.
    force
        Take the name even if the package has been imported.

    Returns
    -------
    What :meth:`Installed.undo` takes back; also a context manager.

    Raises
    ------
    ValueError
        The package has no module here.
    RuntimeError
        It has been imported already, and ``force`` is false.

    """
    if name not in NAMES:
        expected = " or ".join(map(repr, NAMES))
        raise ValueError(f"expected {expected}, found {name!r}")
    module = import_module(f"{__name__}.{name}")
    before = sys.modules.get(name)
    if before is module and name in _installed:
        return _installed[name]
    if before is not None and not force:
        place = getattr(before, "__file__", None) or repr(before)
        raise RuntimeError(
            f"{name} has been imported already, from {place}: call install_as before whatever "
            "imports it; force=True takes the name all the same, and code that imported it keeps "
            "what it has"
        )
    sys.modules[name] = module
    _installed[name] = Installed(name, module, before)
    return _installed[name]
