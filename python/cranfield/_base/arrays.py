"""Tensors of other libraries as numpy arrays, through DLPack."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CPU = 1
"""DLPack's number for memory of the processor, which is read in place."""


def is_tensor(value: object) -> bool:
    """Whether an object hands over its memory by DLPack."""
    return hasattr(type(value), "__dlpack__") and hasattr(type(value), "__dlpack_device__")


def as_array(value: Any) -> Any:
    """A tensor of torch, jax, cupy or another library as a numpy array.

    Memory of the processor is read in place, that of a GPU is copied from there. Gradients
    are left behind, and a type that numpy lacks, such as bfloat16, becomes float32.
    Anything else is returned as it is.
    """
    import numpy as np

    if isinstance(value, np.ndarray) or not is_tensor(value):
        return value
    if getattr(value, "requires_grad", False):
        value = value.detach()
    if value.__dlpack_device__()[0] != _CPU:
        value = _on_cpu(value)
    if isinstance(value, np.ndarray):
        return value
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError):
        # A type that numpy lacks; each library has its own word for the conversion.
        if hasattr(value, "float"):
            return np.from_dlpack(value.float())
        if hasattr(value, "astype"):
            return np.asarray(value.astype("float32"))
        raise


def _on_cpu(value: Any) -> Any:
    """A tensor whose memory the processor can read."""
    import numpy as np

    if hasattr(value, "cpu"):
        return value.cpu()
    if hasattr(value, "get"):
        return value.get()
    return np.from_dlpack(value, device="cpu")
