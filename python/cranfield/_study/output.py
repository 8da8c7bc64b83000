"""Writing what a part of a study found: tables, the data of figures, and figures."""

from __future__ import annotations

from contextlib import suppress

from cranfield._study import drawing
from cranfield._study.drawing_process import DrawingProcess, GoneError
from cranfield._study.folder import csv_of, latex_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future

    from cranfield._study.content import Figure, Found
    from cranfield._study.folder import Folder


def write(place: Folder, found: Found) -> dict[str, str]:
    """Writes the tables and the data of the figures; returns the texts by name."""
    texts = {}
    for table in found.tables:
        texts[f"tables/{table.name}.csv"] = csv_of(table)
        texts[f"tables/{table.name}.tex"] = latex_of(table)
    for figure in found.figures:
        texts[f"data/{figure.name}.csv"] = csv_of(figure)
    for name, text in texts.items():
        place.write(name, text)
    return texts


class Figures:
    """Draws figures and writes them, if there is matplotlib.

    ``beside`` is whether to draw in a process of its own while the study goes on.
    """

    def __init__(self, place: Folder, *, drawn: bool, beside: bool = False) -> None:
        self._place = place
        self._drawn = drawn
        self._process: DrawingProcess | None = None
        if drawn and beside:
            with suppress(OSError):
                self._process = DrawingProcess()
        self._waiting: list[tuple[Figure, Mapping[str, str], Future[dict[str, bytes]]]] = []

    def __enter__(self) -> Figures:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.__exit__()

    def add(self, found: Found, *, fresh: bool) -> list[str]:
        """Draws those of a part; ``fresh`` ones even if there are files. Returns their names."""
        files: list[str] = []
        for figure in found.figures if self._drawn else ():
            names = {form: f"figures/{figure.name}.{form}" for form in ("svg", "pdf")}
            files += names.values()
            if not fresh and all((self._place.path / name).is_file() for name in names.values()):
                continue
            if self._process is None:
                self._write(names, drawing.draw(figure))
                continue
            # The part may be finished before they are drawn, and then the call be interrupted.
            for name in names.values():
                self._place.remove(name)
            self._waiting.append((figure, names, self._process.draw(figure)))
        return files

    def finish(self) -> None:
        """Waits for those that are drawn elsewhere, and writes them."""
        # Some of those left are drawn here meanwhile, the last ones first. Two are not worth
        # importing matplotlib.
        left = [one for one in self._waiting if not one[-1].done()]
        for figure, names, drawn in reversed(left[2:]):
            if drawn.cancel():
                self._write(names, drawing.draw(figure))
        for figure, names, drawn in self._waiting:
            if drawn.cancelled():
                continue
            try:
                found = drawn.result()
            except GoneError:
                found = drawing.draw(figure)
            self._write(names, found)

    def _write(self, names: Mapping[str, str], drawn: Mapping[str, bytes]) -> None:
        for form, data in drawn.items():
            self._place.write(names[form], data)
