# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cameo from Python: compile an ONNX model for this machine, and run it on arrays.

    model = cameo_onnx.compile("net.onnx")
    outputs = model.session().run({"image": image})
"""
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._inference_session import (ExecutionMode, GraphOptimizationLevel, InferenceSession, NodeArg, SessionOptions,
                                 get_available_providers)
from ._model import Memory, Model, Port, Session, compile, load
from ._version import __version__

if TYPE_CHECKING:
    from ._score import Scored, score

__all__ = ["Error", "ExecutionMode", "GraphOptimizationLevel", "InferenceSession", "Memory", "Model", "NodeArg", "Port",
           "Session", "SessionOptions", "__version__", "compile", "get_available_providers", "load"]


def __getattr__(name: str) -> Any:
    """What needs the extra `score` comes when it is asked for."""
    if name in ("Scored", "score"):
        from . import _score
        return getattr(_score, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
