"""Modules with the interfaces of other packages, computed by cranfield.

Each is imported by its name here (``from cranfield.compat import pytrec_eval``)
or stands in for the package itself, before a host imports it::

    import cranfield as cf
    installed = cf.install_as("pytrec_eval")
    import pytrec_eval
    pytrec_eval.RelevanceEvaluator.__module__
    # 'cranfield.compat.pytrec_eval'
    installed.undo()

Into other hosts ``install_as`` puts the hook of :mod:`cranfield.integrations` as soon as they
are imported.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from threading import RLock

from cranfield._base.options import checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import Any

__all__ = ["Installed", "install_as"]

STAND_INS = {
    "pytrec_eval": "cranfield.compat.pytrec_eval",
    "ranx": "cranfield.compat.ranx",
    "pyserini": "cranfield.compat.pyserini",
}
"""The packages that have a module here, and that module."""

PLACES = {"pyserini": "pyserini.eval.trec_eval"}
"""Where a module stands in for one of a package's modules, and not for the package."""

HOOKS = {
    "beir": ("beir.retrieval.evaluation", "patch"),
    "ir_measures": ("ir_measures", "register"),
    "mteb": ("mteb._evaluators.retrieval_evaluator", "patch"),
    "rank_llm": ("rank_llm.evaluation.trec_eval", "patch"),
    "sentence_transformers": ("sentence_transformers", "patch"),
}
"""The hosts with a module in ``cranfield.integrations``.

What the host has to have imported before, and the function of the module that puts the hook in.
"""

NAMES = (*STAND_INS, *HOOKS)


def __getattr__(name: str) -> ModuleType:
    """A module of this package, on first use: ``cf.compat.pytrec_eval``."""
    if name not in STAND_INS:
        raise AttributeError(f"module 'cranfield.compat' has no attribute {name!r}")
    return import_module(STAND_INS[name])


def __dir__() -> list[str]:
    """What is public, and the modules."""
    return sorted([*__all__, *STAND_INS])


_lock = RLock()
_uses: dict[str, list[Installed]] = {}
"""The uses of each name that were not undone, the first first."""
_taken: dict[str, Callable[[], None]] = {}
"""What puts back what was there before the first use of a name."""


class Installed:
    """One use of a name, until :meth:`undo`; a context manager, which undoes at its end.

    The name is given back when its last use is undone.
    """

    def __init__(self, name: str, module: ModuleType | None) -> None:
        self.name = name
        self.module = module
        """The module that stands in for the package; of a host with a hook ``None``."""

    def undo(self) -> None:
        """End this use. With the last one, put back what was there before.

        Code that imported the module keeps it. Nothing is put back if something else
        has taken the name since. May be called again.
        """
        with _lock:
            uses = _uses.get(self.name, [])
            if self not in uses:
                return
            uses.remove(self)
            if not uses:
                _taken.pop(self.name)()

    def __enter__(self) -> ModuleType | None:
        return self.module

    def __exit__(self, *_: object) -> None:
        self.undo()

    def __repr__(self) -> str:
        what = f"hook of {self.name}" if self.module is None else self.module.__name__
        return f"<{what} installed as {self.name}>"


@checked
def install_as(name: str, *, force: bool = False) -> Installed:
    """Let a program that evaluates with another package get its results from cranfield.

    Of ``pytrec_eval`` and ``ranx`` the module of :mod:`cranfield.compat` takes the name:
    call it before a host imports the package, since code that imported it keeps what it
    has. The package itself need not be installed. Of ``pyserini`` one takes the place of
    ``pyserini.eval.trec_eval``. Into the others the hook of :mod:`cranfield.integrations`
    is put, at once or when they are imported. Each call is a use of its own, and the name
    is given back with the last.

    Parameters
    ----------
    name
        ``pytrec_eval``, ``ranx``, ``pyserini``, ``beir``, ``ir_measures``, ``mteb``,
        ``rank_llm`` or ``sentence_transformers``.
    force
        Take the name even if the package has been imported.

    Returns
    -------
    What :meth:`Installed.undo` takes back; also a context manager.

    Raises
    ------
    ValueError
        There is no such name here.
    RuntimeError
        The package has been imported already, and ``force`` is false.

    """
    if name not in NAMES:
        raise ValueError(f"expected {' or '.join(map(repr, NAMES))}, found {name!r}")
    with _lock:
        module = import_module(STAND_INS[name]) if name in STAND_INS else None
        first = not _uses.get(name)
        if module is not None and not first and not _is_taken(PLACES.get(name, name), module):
            # Something else has taken the name since; these uses have nothing to give back.
            _uses[name].clear()
            _taken.pop(name)
            first = True
        if first:
            _taken[name] = _take(name, module, force=force)
        use = Installed(name, module)
        _uses.setdefault(name, []).append(use)
    return use


def _take(name: str, module: ModuleType | None, *, force: bool) -> Callable[[], None]:
    """Takes a name; what is returned gives it back."""
    if module is None:
        return _hooked(name)
    if hasattr(module, "stand_in"):
        # The package's own modules are found below the one that stands in for it.
        module.stand_in()
    place = PLACES.get(name, name)
    before = sys.modules.get(place)
    if before is not None and before is not module and not force:
        found = getattr(before, "__file__", None) or repr(before)
        raise RuntimeError(
            f"{place} has already been imported, from {found}: call install_as before whatever "
            "imports it; force=True takes the name anyway, and code that imported it keeps what it "
            "has"
        )
    if place != name:
        return _put_below(place, STAND_INS[name], before)
    sys.modules[name] = module

    def undo() -> None:
        if sys.modules.get(name) is not module:
            return
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before

    return undo


def _put_below(place: str, instead: str, before: ModuleType | None) -> Callable[[], None]:
    """Lets the next import of a package's module find another; what is returned undoes it."""
    package, _, last = place.rpartition(".")
    earlier = _importer.instead.get(place)
    sys.modules.pop(place, None)
    _importer.instead[place] = instead
    _importer.begin()

    def undo() -> None:
        if not _is_taken(place, import_module(instead)):
            return
        if earlier is None:
            del _importer.instead[place]
        sys.modules.pop(place, None)
        names = vars(sys.modules[package]) if package in sys.modules else {}
        names.pop(last, None)
        if before is not None:
            sys.modules[place] = names[last] = before

    return undo


def _is_taken(place: str, module: ModuleType) -> bool:
    """Whether an import of a place finds the module, or will find it."""
    if place in sys.modules:
        return sys.modules[place] is module
    return place in _importer.instead


def _hooked(name: str) -> Callable[[], None]:
    """Puts a hook in, now or when the host is imported."""
    patches: list[Any] = []

    awaited, function = HOOKS[name]

    def put() -> None:
        patches.append(getattr(import_module(f"cranfield.integrations.{name}"), function)())

    def undo() -> None:
        _importer.after.pop(awaited, None)
        while patches:
            patches.pop().restore()

    if awaited in sys.modules:
        put()
    else:
        _importer.after[awaited] = put
        _importer.begin()
    return undo


class _Importer:
    """Finds what stands in for a package, and calls hooks behind an import."""

    def __init__(self) -> None:
        self.instead: dict[str, str] = {}
        """Packages, and the modules that stand in for them."""
        self.after: dict[str, Callable[[], None]] = {}
        """What is called when a module was imported."""

    def begin(self) -> None:
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in self.instead:
            loader: Any = _StandIn(self.instead[name])
            return ModuleSpec(name, loader, origin=loader.own.origin)
        if name not in self.after:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:
                    behind: Any = _Behind(spec.loader, partial(self.after.pop, name, None))
                    spec.loader = behind
                return spec
        return None


_importer = _Importer()


class _StandIn:
    """Loads the module that stands in for a package."""

    def __init__(self, module: str) -> None:
        from importlib.util import find_spec

        self.own: Any = find_spec(module)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return import_module(self.own.name)

    def exec_module(self, module: ModuleType) -> None:
        # The importing machinery gave it the name that it stands in for.
        module.__spec__ = self.own

    def get_code(self, name: str) -> Any:
        """What ``python -m`` of the package's module runs."""
        return self.own.loader.get_code(self.own.name)


class _Behind:
    """A loader with a call behind it."""

    def __init__(self, loader: Any, call: Callable[[], Callable[[], None] | None]) -> None:
        self._loader = loader
        self._call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        put = self._call()
        if put is not None:
            try:
                put()
            except Exception as error:
                print(f"cranfield: {module.__name__} is not hooked: {error}", file=sys.stderr)
