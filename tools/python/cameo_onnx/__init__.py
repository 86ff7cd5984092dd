# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cameo from Python: compile an ONNX model for this machine, and run it on arrays.

    model = cameo_onnx.compile("net.onnx")
    outputs = model.session().run({"image": image})
"""
from ._errors import Error
from ._inference_session import (ExecutionMode, GraphOptimizationLevel, InferenceSession, NodeArg, SessionOptions,
                                 get_available_providers)
from ._model import Memory, Model, Port, Session, compile, load
from ._version import __version__

__all__ = ["Error", "ExecutionMode", "GraphOptimizationLevel", "InferenceSession", "Memory", "Model", "NodeArg", "Port",
           "Session", "SessionOptions", "__version__", "compile", "get_available_providers", "load"]
