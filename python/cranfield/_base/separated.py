"""Lines of CSV and TSV that every reader takes apart as they were."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def line(cells: Iterable[object], delimiter: str = ",") -> str:
    """Cells as a line; ``None`` is empty.

    A cell with the delimiter, a quotation mark or any end of a line is quoted: the
    module ``csv`` leaves carriage returns unquoted before Python 3.13.
    """
    texts = ["" if cell is None else str(cell) for cell in cells]
    if texts == [""]:
        return '""\n'
    return delimiter.join(_quoted(text, delimiter) for text in texts) + "\n"


def lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text that are not empty, each with its number.

    Other characters at which ``str.splitlines`` splits may be in a label.
    """
    numbered = enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1)
    return [(number, line) for number, line in numbered if line.strip()]


def _quoted(text: str, delimiter: str) -> str:
    if delimiter in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text
