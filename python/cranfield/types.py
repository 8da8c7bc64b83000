"""Names that signatures use, for type checkers: what is taken as judgments, runs and measures."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cranfield._base.progress import ProgressLike
    from cranfield._io.inputs import QrelsLike, RunsLike
    from cranfield._measures.parse import MeasureLike, MeasuresLike

    __all__ = ["MeasureLike", "MeasuresLike", "ProgressLike", "QrelsLike", "RunsLike"]
